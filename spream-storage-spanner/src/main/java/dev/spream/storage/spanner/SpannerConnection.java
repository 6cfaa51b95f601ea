package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.api.gax.grpc.GrpcInterceptorProvider;
import com.google.api.gax.retrying.RetrySettings;
import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.spi.v1.SpannerInterceptorProvider;
import com.google.spanner.v1.DirectedReadOptions;
import com.google.spanner.v1.RollbackRequest;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.source.SourceException;
import dev.spream.storage.spanner.client.EncodedValues;
import dev.spream.storage.spanner.client.PrefetchInterceptor;
import dev.spream.storage.spanner.client.SilenceWatch;
import dev.spream.storage.spanner.client.SpannerErrors;
import dev.spream.storage.spanner.client.WatchedOptions;
import dev.spream.storage.spanner.connection.CredentialsJson;
import dev.spream.storage.spanner.connection.DirectedReads;
import dev.spream.storage.spanner.connection.Endpoint;
import dev.spream.storage.spanner.connection.SpannerConnectionKeys;
import dev.spream.storage.spanner.source.StreamCatalog;
import io.grpc.ClientInterceptor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Spanner client for one database, which a change stream source and other parts can share. The caller that opened it
 * closes it, after its users.
 *
 * <p>Credentials are the application default credentials unless others are set, and none for an emulator. An emulator is
 * used when its host is set here or in the environment, as {@code SPANNER_EMULATOR_HOST}. {@link Builder#options} takes
 * every other setting of the client.
 *
 * <p>A firewall can silence a connection without closing it. A call that waits on such a connection fails 13 seconds
 * after its last message, or later with a longer {@link Builder#keepAliveTime}. All channels reconnect after such a failure, when a call has received nothing for 5 seconds,
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

    static final int MAX_OPEN_QUERIES = (SpannerConnectionKeys.MAX_CHANNELS - 1) * STREAMS_PER_CHANNEL;
    static final int DEFAULT_OPEN_QUERIES = 700;

    private final DatabaseName database;
    private final Spanner spanner;
    private final DatabaseClient client;
    private final int maxOpenQueries;
    private final @Nullable DirectedReadOptions directedReads;

    private SpannerConnection(
            DatabaseName database, Spanner spanner, int maxOpenQueries, @Nullable DirectedReadOptions directedReads) {
        this.directedReads = directedReads;
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
     * set, or else the client's own, and adds two that affect only change streams; a second call adds none. It has no effect
     * if the caller sets a channel provider, because the client then ignores interceptors.
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
        if (kept.getInterceptors().stream().anyMatch(PrefetchInterceptor.class::isInstance)) {
            return options;
        }
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
        SpannerChangeStreamSource.Builder source =
                new SpannerChangeStreamSource.Builder(client, this, streamName).maxOpenQueries(maxOpenQueries);
        return directedReads == null ? source : source.directedReads(directedReads);
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
        if (spanner.getOptions() instanceof WatchedOptions watched) {
            try {
                watched.rpc().rollback(transaction, Map.of());
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

    /** Options of a connection. Every one has a default. */
    public static final class Builder {
        private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(8);

        /**
         * The limit of silence, shorter than the time limit of the partition storage, so that the storage's next call is
         * answered.
         */
        private static final Duration SILENCE = SpannerPartitionStorage.TIMEOUT.minusSeconds(1);

        private final DatabaseName database;
        private @Nullable SpannerOptions given;
        private @Nullable String emulatorHost;
        private @Nullable Endpoint endpoint;
        private @Nullable Path credentialsFile;
        private @Nullable GoogleCredentials credentials;
        private @Nullable String databaseRole;
        private @Nullable Integer maxOpenQueries;
        private @Nullable Integer channels;
        private @Nullable Duration keepAliveTime;
        private @Nullable DirectedReadOptions directedReads;

        private Builder(DatabaseName database) {
            this.database = requireNonNull(database, "database");
        }

        /**
         * Sets the options of the client, in place of all other settings but {@link #maxOpenQueries} and {@link
         * #directedReads}: credentials,
         * endpoint, channels, proxies, tracing. The connection builds a client of its own from them, {@linkplain #prepare
         * prepared} and watched for silent connections, and closes it; the options stay usable. The project of the
         * database is used.
         */
        public Builder options(SpannerOptions options) {
            this.given = requireNonNull(options, "options");
            return this;
        }

        /**
         * Sets the host and port of an emulator, such as {@code localhost:9010}; by default that of the environment.
         */
        public Builder emulatorHost(String emulatorHost) {
            this.emulatorHost = requireNonNull(emulatorHost, "emulatorHost");
            return this;
        }

        /**
         * Sets the server, such as a regional or private endpoint: {@code host:port} or {@code https://host}. It is
         * reached by TLS; a server without it is an emulator.
         *
         * @throws IllegalArgumentException if the text has another form
         */
        public Builder endpoint(String endpoint) {
            this.endpoint = Endpoint.parse(requireNonNull(endpoint, "endpoint"));
            return this;
        }

        /**
         * Sets a file with credentials: the key of a service account or the configuration of a workload identity, as
         * JSON. It is read when the connection is opened.
         */
        public Builder credentialsFile(Path file) {
            this.credentialsFile = requireNonNull(file, "file");
            return this;
        }

        /**
         * Sets the content of such a file.
         *
         * @throws IllegalArgumentException if it has another form; the message does not quote it
         */
        public Builder credentialsJson(String json) {
            this.credentials = CredentialsJson.parse(requireNonNull(json, "json"));
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

        /**
         * Sets the number of gRPC channels, 1 to 256; by default as many as {@link #maxOpenQueries} needs. With fewer,
         * queries wait for each other without an error.
         */
        public Builder channels(int channels) {
            if (channels < 1 || channels > SpannerConnectionKeys.MAX_CHANNELS) {
                throw new IllegalArgumentException("channels must be from 1 to %d, was %d"
                        .formatted(SpannerConnectionKeys.MAX_CHANNELS, channels));
            }
            this.channels = channels;
            return this;
        }

        /**
         * Sets the time for which a gRPC channel that waits for an answer may receive nothing before it sends a
         * keep-alive ping, 10 seconds to 1 hour; 10 seconds by default. Its calls fail 3 seconds later if that is not
         * answered, and the channel reconnects. A server that objects to the pings closes the connection once, and gets
         * half as many from then on.
         */
        public Builder keepAliveTime(Duration keepAliveTime) {
            if (keepAliveTime.compareTo(SpannerConnectionKeys.MIN_KEEP_ALIVE_TIME) < 0
                    || keepAliveTime.compareTo(SpannerConnectionKeys.MAX_KEEP_ALIVE_TIME) > 0) {
                throw new IllegalArgumentException("keepAliveTime must be from %s to %s, was %s"
                        .formatted(
                                DurationText.of(SpannerConnectionKeys.MIN_KEEP_ALIVE_TIME),
                                DurationText.of(SpannerConnectionKeys.MAX_KEEP_ALIVE_TIME),
                                DurationText.of(keepAliveTime)));
            }
            this.keepAliveTime = keepAliveTime;
            return this;
        }

        /**
         * Sets the replicas that serve the queries of this connection's sources; any by default. Spanner supports directed
         * reads in instances with several regions; storages and read-write transactions do not use them.
         *
         * @param replicas such as {@code include:us-east1/read-only,us-east4}, preferred in this order; {@code only:} uses
         *     no others, {@code exclude:} avoids them
         * @throws IllegalArgumentException if the text has another form
         */
        public Builder directedReads(String replicas) {
            this.directedReads = DirectedReads.parse(requireNonNull(replicas, "replicas"));
            return this;
        }

        /** Takes the settings that a plug-in's configuration has under these keys. */
        public Builder configured(PluginConfig config, SpannerConnectionKeys keys) {
            config.find(keys.emulatorHost()).ifPresent(this::emulatorHost);
            config.find(keys.endpoint()).ifPresent(this::endpoint);
            config.find(keys.credentialsFile()).ifPresent(this::credentialsFile);
            config.find(keys.credentialsJson()).ifPresent(this::credentialsJson);
            config.find(keys.channels()).ifPresent(this::channels);
            return keepAliveTime(config.get(keys.keepAliveTime()));
        }

        static int channelsFor(int openQueries) {
            return Math.ceilDiv(openQueries, STREAMS_PER_CHANNEL) + 1;
        }

        /**
         * Builds the client. Only an emulator is probed; other failures appear with the first query.
         *
         * @throws IllegalArgumentException if settings contradict each other, or the file of credentials cannot be read
         * @throws SourceException if the client cannot be built, or the emulator is not running
         */
        public SpannerConnection open() {
            requireNoConflict();
            SpannerOptions options =
                    given == null ? built() : watched(given.toBuilder().setProjectId(database.project()));
            try {
                return connect(options.getService(), openQueries(options));
            } catch (RuntimeException e) {
                throw SpannerErrors.sourceException("connecting to " + database, e);
            }
        }

        private void requireNoConflict() {
            boolean anyCredentials = credentialsFile != null || credentials != null;
            boolean anySetting = anyCredentials
                    || Stream.of(emulatorHost, endpoint, databaseRole, channels, keepAliveTime)
                            .anyMatch(Objects::nonNull);
            require(given == null || !anySetting, "options replace the other settings: set these in the options");
            require(
                    credentialsFile == null || credentials == null,
                    "credentialsFile and credentialsJson are two credentials: set one of them");
            require(
                    emulatorHost == null || (endpoint == null && !anyCredentials),
                    "emulatorHost cannot be combined with an endpoint or credentials");
            SpannerConnectionKeys.emulatorOfEnvironment()
                    .ifPresent(host -> require(
                            endpoint == null && !anyCredentials,
                            "%s set, and SPANNER_EMULATOR_HOST is %s: leave out one of them"
                                    .formatted(endpoint == null ? "credentials are" : "an endpoint is", host)));
        }

        private static void require(boolean condition, String message) {
            if (!condition) {
                throw new IllegalArgumentException(message);
            }
        }

        private int openQueries(SpannerOptions options) {
            if (maxOpenQueries != null) {
                return maxOpenQueries;
            }
            int room = Math.max(1, (options.getNumChannels() - 1) * STREAMS_PER_CHANNEL);
            return Math.min(room, DEFAULT_OPEN_QUERIES);
        }

        private SpannerConnection connect(Spanner spanner, int openQueries) {
            try {
                return new SpannerConnection(database, spanner, openQueries, directedReads);
            } catch (RuntimeException e) {
                spanner.close();
                throw e;
            }
        }

        private SpannerOptions built() {
            SpannerOptions.Builder options = SpannerOptions.newBuilder()
                    .setProjectId(database.project())
                    .setNumChannels(
                            channels == null
                                    ? channelsFor(maxOpenQueries == null ? DEFAULT_OPEN_QUERIES : maxOpenQueries)
                                    : channels)
                    .setGrpcKeepAliveTime(
                            keepAliveTime == null ? SpannerConnectionKeys.MIN_KEEP_ALIVE_TIME : keepAliveTime)
                    .setGrpcKeepAliveTimeout(SilenceWatch.KEEP_ALIVE_TIMEOUT)
                    .setBuiltInMetricsEnabled(false);
            if (emulatorHost != null) {
                options.setEmulatorHost(emulatorHost);
            }
            if (endpoint != null) {
                options.setHost(endpoint.url());
            }
            if (credentialsFile != null) {
                options.setCredentials(CredentialsJson.read(credentialsFile));
            }
            if (credentials != null) {
                options.setCredentials(credentials);
            }
            if (databaseRole != null) {
                options.setDatabaseRole(databaseRole);
            }
            limitSessionRetries(options);
            return watched(options);
        }

        private static SpannerOptions watched(SpannerOptions.Builder options) {
            prepare(options).build(); // which adds the settings of an emulator to the builder
            return new WatchedOptions(options, SILENCE);
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
