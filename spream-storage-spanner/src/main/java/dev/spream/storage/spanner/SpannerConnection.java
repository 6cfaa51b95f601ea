package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.api.gax.retrying.RetrySettings;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A Spanner client for one database, which a change stream source and other parts can share. Whoever opened it closes it,
 * after what uses it.
 *
 * <p>Credentials are the application's default ones, and none for an emulator. An emulator is used when its host is set
 * here or in the environment, as {@code SPANNER_EMULATOR_HOST}.
 *
 * <p>Safe for use by many threads.
 */
public final class SpannerConnection implements AutoCloseable {
    private final DatabaseName database;
    private final Spanner spanner;
    private final DatabaseClient client;

    private SpannerConnection(DatabaseName database, Spanner spanner) {
        this.database = database;
        this.spanner = spanner;
        this.client =
                spanner.getDatabaseClient(DatabaseId.of(database.project(), database.instance(), database.database()));
    }

    public static Builder builder(DatabaseName database) {
        return new Builder(database);
    }

    public DatabaseName database() {
        return database;
    }

    /** The client for {@link #database()}; it lives as long as this connection. */
    public DatabaseClient client() {
        return client;
    }

    /** The client as a whole, for administration and other databases of the project; do not close it. */
    public Spanner spanner() {
        return spanner;
    }

    @Override
    public void close() {
        spanner.close();
    }

    /** Options of a connection. Every one has a default. */
    public static final class Builder {
        /** Streams that a gRPC connection to Spanner carries; more wait in silence. */
        private static final int STREAMS_PER_CHANNEL = 100;

        private static final int DEFAULT_CHANNELS = 8;
        private static final int MAX_CHANNELS = 256;
        private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(8);

        private final DatabaseName database;
        private @Nullable String emulatorHost;
        private @Nullable String databaseRole;
        private int channels = DEFAULT_CHANNELS;

        private Builder(DatabaseName database) {
            this.database = requireNonNull(database, "database");
        }

        /** The host and port of an emulator, such as {@code localhost:9010}; by default that of the environment. */
        public Builder emulatorHost(String emulatorHost) {
            this.emulatorHost = requireNonNull(emulatorHost, "emulatorHost");
            return this;
        }

        /**
         * The database role to act as; none by default. It needs SELECT on the change stream and EXECUTE on its read
         * function.
         */
        public Builder databaseRole(String databaseRole) {
            this.databaseRole = requireNonNull(databaseRole, "databaseRole");
            return this;
        }

        /** How many gRPC channels to open, 1 to 256; 8 by default. */
        public Builder channels(int channels) {
            if (channels < 1 || channels > MAX_CHANNELS) {
                throw new IllegalArgumentException(
                        "channels must be from 1 to %d, was %d".formatted(MAX_CHANNELS, channels));
            }
            this.channels = channels;
            return this;
        }

        /**
         * How many partitions are read at a time, at most, from which follows the number of channels: each carries about
         * 100 streams, and one more is left for everything else.
         */
        public Builder expectedPartitions(int partitions) {
            if (partitions < 1) {
                throw new IllegalArgumentException("expectedPartitions must be at least 1, was " + partitions);
            }
            return channels(channelsFor(partitions));
        }

        static int channelsFor(int partitions) {
            return Math.clamp(partitions / STREAMS_PER_CHANNEL + 2, DEFAULT_CHANNELS, MAX_CHANNELS);
        }

        /**
         * Builds the client. Only an emulator is asked whether it is there; anything else shows with the first query.
         *
         * @throws SourceException if the client cannot be built, or there is no emulator where one should be
         */
        public SpannerConnection open() {
            try {
                return connect(options().getService());
            } catch (RuntimeException e) {
                throw SpannerErrors.sourceException("connecting to " + database, e);
            }
        }

        private SpannerConnection connect(Spanner spanner) {
            try {
                return new SpannerConnection(database, spanner);
            } catch (RuntimeException e) {
                spanner.close();
                throw e;
            }
        }

        private SpannerOptions options() {
            SpannerOptions.Builder options = SpannerOptions.newBuilder()
                    .setProjectId(database.project())
                    .setNumChannels(channels)
                    .setBuiltInMetricsEnabled(false);
            if (emulatorHost != null) {
                options.setEmulatorHost(emulatorHost);
            }
            if (databaseRole != null) {
                options.setDatabaseRole(databaseRole);
            }
            limitSessionRetries(options);
            return options.build();
        }

        /** An unreachable server shows with its own error before a {@link StreamCatalog} loses patience. */
        private static void limitSessionRetries(SpannerOptions.Builder options) {
            var session = options.getSpannerStubSettingsBuilder().createSessionSettings();
            RetrySettings retries = session.getRetrySettings().toBuilder()
                    .setInitialRpcTimeoutDuration(SESSION_TIMEOUT)
                    .setMaxRpcTimeoutDuration(SESSION_TIMEOUT)
                    .setTotalTimeoutDuration(SESSION_TIMEOUT)
                    .build();
            session.setRetrySettings(retries);
        }
    }
}
