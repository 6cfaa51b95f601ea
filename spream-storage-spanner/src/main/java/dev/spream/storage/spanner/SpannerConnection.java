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
 * A Spanner client for one database, which a change stream source and other parts can share. The caller that opened it closes it,
 * after its users.
 *
 * <p>Credentials are the application's default ones, and none for an emulator. An emulator is used when its host is set
 * here or in the environment, as {@code SPANNER_EMULATOR_HOST}.
 *
 * <p>A connection that goes silent without ending, as one that a firewall forgot, is noticed 13 seconds after its last sign
 * of life, if a call waits on it: the call fails. Then, and when a call got nothing at all for 5 seconds, a change stream's
 * query until it was cancelled as stalled, all channels reconnect, because connections go silent together and a repeated
 * call goes to another one. Calls under way stay on theirs. A client that was {@linkplain #prepare prepared} does not do
 * that.
 *
 * <p>Safe for use by many threads.
 */
public final class SpannerConnection implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SpannerConnection.class);

    /** Streams that a gRPC connection to Spanner carries; more wait in silence. */
    private static final int STREAMS_PER_CHANNEL = 100;

    private static final int MAX_CHANNELS = 256;
    static final int MAX_OPEN_QUERIES = (MAX_CHANNELS - 1) * STREAMS_PER_CHANNEL;
    static final int DEFAULT_OPEN_QUERIES = 700;

    /**
     * How long a gRPC channel that waits for an answer may receive nothing before it asks the server for a sign of life, and
     * how long it then waits for one: 13 seconds after a connection went silent its calls fail, and the channel connects
     * anew. gRPC asks no more often than every 10 seconds; a server that objects ends the connection once, and is asked half
     * as often from then on.
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
     * Prepares a client that the caller builds, so that sources which read with it hold to their {@link
     * SpannerChangeStreamSource.Builder#prefetchBytes prefetchBytes}. Call it last: it keeps the interceptors that were
     * set, or else the client's own, and adds one that touches nothing but change streams. It is of no use where the caller
     * sets a channel provider, because the client then ignores interceptors.
     *
     * <p>It leaves the client's keep-alive as it is: with the client's own default of two minutes, a connection that goes
     * silent holds up its calls for that long. {@code setGrpcKeepAliveTime(Duration.ofSeconds(10))} and {@code
     * setGrpcKeepAliveTimeout(Duration.ofSeconds(3))} are what {@link Builder#open} uses.
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
            return interceptors;
        });
    }

    public DatabaseName database() {
        return database;
    }

    /** The client for {@link #database()}; it lives as long as this connection. */
    public DatabaseClient client() {
        return client;
    }

    /**
     * Options for a change stream of {@link #database()}, sized for this connection: if several sources share it, divide
     * {@link SpannerChangeStreamSource.Builder#maxOpenQueries maxOpenQueries} between them.
     *
     * @throws IllegalArgumentException if the name cannot be that of a change stream
     */
    public SpannerChangeStreamSource.Builder source(String streamName) {
        return SpannerChangeStreamSource.builder(client, streamName).maxOpenQueries(maxOpenQueries);
    }

    /** The client as a whole, for administration and other databases of the project; do not close it. */
    public Spanner spanner() {
        return spanner;
    }

    /** Changes the schema of the database, and waits until it is changed. */
    @Nullable
    Void updateDdl(List<String> statements) throws InterruptedException, ExecutionException {
        return spanner.getDatabaseAdminClient()
                .updateDatabaseDdl(database.instance(), database.database(), statements, null)
                .get();
    }

    /** Ends a transaction that is not committed, so that its locks are gone; one that has ended is left as it is. */
    void rollBack(RollbackRequest transaction) {
        if (spanner.getOptions() instanceof WatchedOptions options) {
            try {
                options.rpc().rollback(transaction, Map.of());
            } catch (SpannerException e) {
                log.debug("rolling back in {} failed; the server does it in time", database, LoggedFailure.of(e));
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

        /** A call waits less than the partition storage does, so that the storage's next call is answered. */
        private final transient SilenceWatch watch = new SilenceWatch(SpannerPartitionStorage.TIMEOUT.minusSeconds(1));

        WatchedOptions(SpannerOptions.Builder builder) {
            super(builder);
        }

        private SpannerRpc rpc() {
            return getSpannerRpcV1();
        }

        /** {@inheritDoc} Not set in the builder, which replaces it where there is an emulator. */
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

        /**
         * How many change stream queries may be open at the same time, 1 to 25,500; 700 by default. Every partition that is
         * read needs one, an idle one too. The number of gRPC channels follows from it: each carries about 100 streams, and
         * room for 100 more is left for everything else, so the default opens 8, as the client does by itself.
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
            prepare(options).build(); // which puts what an emulator needs into the builder
            return new WatchedOptions(options);
        }

        /** An unreachable server shows with its own error before a {@link StreamCatalog} times out. */
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
