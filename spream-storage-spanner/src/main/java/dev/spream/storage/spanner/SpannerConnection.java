package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.api.core.ApiFunction;
import com.google.api.gax.grpc.GrpcInterceptorProvider;
import com.google.api.gax.retrying.RetrySettings;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.spi.v1.SpannerInterceptorProvider;
import com.google.cloud.spanner.spi.v1.SpannerRpc;
import com.google.spanner.v1.RollbackRequest;
import dev.spream.core.LoggedFailure;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.client.EncodedValues;
import dev.spream.storage.spanner.client.PrefetchInterceptor;
import dev.spream.storage.spanner.client.SilenceWatch;
import dev.spream.storage.spanner.client.SpannerErrors;
import dev.spream.storage.spanner.source.StreamCatalog;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannelBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Spanner client for one database, which a change stream source and other parts can share. The caller that opened it
 * closes it, after its users.
 *
 * <p>Credentials are the application default credentials, and none for an emulator. An emulator is used when its host
 * is set here or in the environment, as {@code SPANNER_EMULATOR_HOST}.
 *
 * <p>A firewall can silence a connection without closing it. A call that waits on such a connection fails 13 seconds
 * after its last message. All channels reconnect after such a failure, when a call has received nothing for 5 seconds,
 * and when a change stream's query was cancelled as stalled, because connections often go silent together and a
 * repeated call uses another one. Calls in progress keep their connections. A client that the caller builds and
 * {@linkplain #prepare prepares} neither fails such calls after 13 seconds nor reconnects.
 *
 * <p>Safe for use by many threads.
 */
public final class SpannerConnection implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SpannerConnection.class);

    /** The streams that a gRPC connection to Spanner carries; further ones wait without an error. */
    private static final int STREAMS_PER_CHANNEL = 100;

    private static final int MAX_CHANNELS = 256;
    static final int MAX_OPEN_QUERIES = (MAX_CHANNELS - 1) * STREAMS_PER_CHANNEL;
    static final int DEFAULT_OPEN_QUERIES = 700;

    /**
     * The time for which a gRPC channel that waits for an answer may receive nothing before it sends a keep-alive ping,
     * which it waits for {@link SilenceWatch#KEEP_ALIVE_TIMEOUT}: 13 seconds after a connection went silent its calls
     * fail, and the channel reconnects. gRPC sends pings at most every 10 seconds; a server that objects closes the
     * connection once, and gets half as many pings from then on.
     */
    static final Duration KEEP_ALIVE_TIME = Duration.ofSeconds(10);

    private final DatabaseName database;
    private final Spanner spanner;
    private final DatabaseClient client;
    private final int maxOpenQueries;

    private SpannerConnection(DatabaseName database, Spanner spanner, int maxOpenQueries) {
        this.database = database;
        this.spanner = spanner;
        this.maxOpenQueries = maxOpenQueries;
        this.client =
                spanner.getDatabaseClient(DatabaseId.of(database.project(), database.instance(), database.database()));
    }

    public static Builder builder(DatabaseName database) {
        return new Builder(database);
    }

    /**
     * Prepares a client that the caller builds, so that its sources can limit {@link
     * SpannerChangeStreamSource.Builder#prefetchBytes prefetchBytes}. Call it last: it keeps the interceptors that were
     * set, or else the client's own, and adds one that affects only change streams. It has no effect if the caller sets
     * a channel provider, because the client then ignores interceptors.
     *
     * <p>It does not change the client's keep-alive: with the client's own default of two minutes, a silent connection
     * delays its calls for that long. {@code setGrpcKeepAliveTime(Duration.ofSeconds(10))} and {@code
     * setGrpcKeepAliveTimeout(Duration.ofSeconds(3))} are the settings of {@link Builder#open}.
     *
     * @return the same options
     */
    public static SpannerOptions.Builder prepare(SpannerOptions.Builder options) {
        SpannerOptions set = options.build();
        GrpcInterceptorProvider before = set.getInterceptorProvider();
        GrpcInterceptorProvider kept =
                before == null ? SpannerInterceptorProvider.createDefault(set.getOpenTelemetry()) : before;
        return options.setInterceptorProvider(() -> {
            List<ClientInterceptor> interceptors = new ArrayList<>(kept.getInterceptors());
            interceptors.add(new PrefetchInterceptor());
            interceptors.add(new EncodedValues());
            return interceptors;
        });
    }

    public DatabaseName database() {
        return database;
    }

    /** Returns the client for {@link #database()}, open as long as this connection. */
    public DatabaseClient client() {
        return client;
    }

    /**
     * Returns the options for a change stream of {@link #database()}, sized for this connection: if several sources
     * share it, divide {@link SpannerChangeStreamSource.Builder#maxOpenQueries maxOpenQueries} between them.
     *
     * @throws IllegalArgumentException if the name is not a valid name of a change stream
     */
    public SpannerChangeStreamSource.Builder source(String streamName) {
        return new SpannerChangeStreamSource.Builder(client, this, streamName).maxOpenQueries(maxOpenQueries);
    }

    /** Returns the whole client, for administration and other databases of the project; do not close it. */
    public Spanner spanner() {
        return spanner;
    }

    /** Changes the schema of the database, and waits until the change is complete. */
    @Nullable
    Void updateDdl(List<String> statements) throws InterruptedException, ExecutionException {
        return spanner.getDatabaseAdminClient()
                .updateDatabaseDdl(database.instance(), database.database(), statements, null)
                .get();
    }

    /**
     * Rolls back a transaction that is not committed, so that its locks are released; has no effect on one that has
     * ended.
     */
    void rollBack(RollbackRequest transaction) {
        if (spanner.getOptions() instanceof WatchedOptions options) {
            try {
                options.rpc().rollback(transaction, Map.of());
            } catch (SpannerException e) {
                log.debug(
                        "rolling back in {} failed; the server rolls back when the transaction expires",
                        database,
                        LoggedFailure.of(e));
            }
        }
    }

    @Override
    public void close() {
        spanner.close();
    }

    /** The client's options, with channels that are watched for silence. */
    @SuppressWarnings("unchecked") // the client's own toBuilder
    private static final class WatchedOptions extends SpannerOptions {
        private static final long serialVersionUID = 1;

        /**
         * The limit of silence, shorter than the time limit of the partition storage, so that the storage's next call
         * is answered.
         */
        private final transient SilenceWatch watch = new SilenceWatch(SpannerPartitionStorage.TIMEOUT.minusSeconds(1));

        WatchedOptions(SpannerOptions.Builder builder) {
            super(builder);
        }

        private SpannerRpc rpc() {
            return getSpannerRpcV1();
        }

        /** {@inheritDoc} Not set in the builder, which replaces it for an emulator. */
        @Override
        @SuppressWarnings("rawtypes") // as the client declares it
        public ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> getChannelConfigurator() {
            ApiFunction<ManagedChannelBuilder, ManagedChannelBuilder> given = super.getChannelConfigurator();
            return channel -> watch.watching(given == null ? channel : given.apply(channel));
        }
    }

    /** Options of a connection. Every one has a default. */
    public static final class Builder {
        private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(8);

        private final DatabaseName database;
        private @Nullable String emulatorHost;
        private @Nullable String databaseRole;
        private int maxOpenQueries = DEFAULT_OPEN_QUERIES;

        private Builder(DatabaseName database) {
            this.database = requireNonNull(database, "database");
        }

        /**
         * Sets the host and port of an emulator, such as {@code localhost:9010}; by default that of the environment.
         */
        public Builder emulatorHost(String emulatorHost) {
            this.emulatorHost = requireNonNull(emulatorHost, "emulatorHost");
            return this;
        }

        /**
         * Sets the database role; none by default. It needs SELECT on the change stream and EXECUTE on its read
         * function.
         */
        public Builder databaseRole(String databaseRole) {
            this.databaseRole = requireNonNull(databaseRole, "databaseRole");
            return this;
        }

        /**
         * Sets the number of change stream queries that may be open at the same time, 1 to 25,500; 700 by default. Each
         * partition that is read needs one, even if it is idle. It determines the number of gRPC channels: each carries
         * about 100 streams, and 100 more are reserved for other requests, so the default opens 8, like the client's
         * own.
         */
        public Builder maxOpenQueries(int maxOpenQueries) {
            if (maxOpenQueries < 1 || maxOpenQueries > MAX_OPEN_QUERIES) {
                throw new IllegalArgumentException(
                        "maxOpenQueries must be from 1 to %d, was %d".formatted(MAX_OPEN_QUERIES, maxOpenQueries));
            }
            this.maxOpenQueries = maxOpenQueries;
            return this;
        }

        static int channels(int openQueries) {
            return Math.ceilDiv(openQueries, STREAMS_PER_CHANNEL) + 1;
        }

        /**
         * Builds the client. Only an emulator is probed; other failures appear with the first query.
         *
         * @throws SourceException if the client cannot be built, or the emulator is not running
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
                return new SpannerConnection(database, spanner, maxOpenQueries);
            } catch (RuntimeException e) {
                spanner.close();
                throw e;
            }
        }

        private SpannerOptions options() {
            SpannerOptions.Builder options = SpannerOptions.newBuilder()
                    .setProjectId(database.project())
                    .setNumChannels(channels(maxOpenQueries))
                    .setGrpcKeepAliveTime(KEEP_ALIVE_TIME)
                    .setGrpcKeepAliveTimeout(SilenceWatch.KEEP_ALIVE_TIMEOUT)
                    .setBuiltInMetricsEnabled(false);
            if (emulatorHost != null) {
                options.setEmulatorHost(emulatorHost);
            }
            if (databaseRole != null) {
                options.setDatabaseRole(databaseRole);
            }
            limitSessionRetries(options);
            prepare(options).build(); // which adds the settings of an emulator to the builder
            return new WatchedOptions(options);
        }

        /**
         * Limits the retries of sessions, so that an unreachable server is reported by its own error before a {@link
         * StreamCatalog} times out.
         */
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
