package dev.spream.emulator;

import static java.util.Objects.requireNonNull;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.control.PartitionControl;
import dev.spream.emulator.internal.server.Backend;
import dev.spream.emulator.internal.server.EmbeddedBackend;
import dev.spream.emulator.internal.server.UpstreamBackend;
import dev.spream.emulator.internal.stream.EmulatorThreads;
import dev.spream.emulator.internal.stream.StreamSettings;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A Cloud Spanner server inside this process. It serves Spanner's own protocol over gRPC on a local port, so that
 * unmodified clients can use it: set {@code SPANNER_EMULATOR_HOST}, or the client's emulator host, to
 * {@link #emulatorHost()}.
 *
 * <pre>{@code
 * try (SpannerEmulator emulator = SpannerEmulator.start()) {
 *     emulator.createDatabase("demo/test/db", DatabaseDialect.GOOGLE_STANDARD_SQL,
 *         "CREATE TABLE Accounts (Id INT64 NOT NULL, Balance INT64) PRIMARY KEY (Id)",
 *         "CREATE CHANGE STREAM Changes FOR ALL");
 *     SpannerOptions.newBuilder().setProjectId("demo").setEmulatorHost(emulator.emulatorHost())...
 * }
 * }</pre>
 *
 * <p>All data is in memory and discarded on close, unless {@linkplain Builder#over another server} holds it. Reads at a read timestamp see the rows as of it while a read-only transaction at
 * that timestamp is open; other reads with a stale bound see the latest rows. Safe for use by many
 * threads and many clients; the caller that started it closes it.
 */
public final class SpannerEmulator implements AutoCloseable {
    private static final int MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
    private static final int CALLS_PER_CONNECTION = 100; // as Spanner: a client's further calls wait inside it
    private static final int CLOSE_SECONDS = 5;
    private static final Pattern DATABASE = Pattern.compile("([^/]+)/([^/]+)/([^/]+)");
    private static final Pattern FULL_DATABASE =
            Pattern.compile("projects/([^/]+)/instances/([^/]+)/databases/([^/]+)");

    private final String host;
    private final InstantSource clock;
    private final Backend backend;
    private final ExecutorService executor;
    private final Server server;

    private SpannerEmulator(Builder builder) {
        this.host = builder.host;
        this.clock = builder.clock;
        this.backend = builder.backend();
        this.executor = Executors.newCachedThreadPool(
                EmulatorThreads.builder().name("spream-emulator-call-", 0).factory());
        NettyServerBuilder server = NettyServerBuilder.forAddress(new InetSocketAddress(builder.host, builder.port))
                .executor(executor)
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
                .permitKeepAliveTime(1, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true);
        backend.addServices(server);
        try {
            this.server = server.build().start();
        } catch (IOException e) {
            executor.close();
            backend.close();
            throw new UncheckedIOException(
                    "the emulator cannot listen on %s:%d; is the port taken?".formatted(host, builder.port), e);
        }
    }

    /** Starts an emulator on a free port of 127.0.0.1, without churn. */
    public static SpannerEmulator start() {
        return builder().start();
    }

    public static Builder builder() {
        return new Builder();
    }

    public String host() {
        return host;
    }

    /** Returns the port that the emulator listens on, including one that it chose itself. */
    public int port() {
        return server.getPort();
    }

    /** Returns host and port in the form of {@code SPANNER_EMULATOR_HOST}: {@code 127.0.0.1:9010}. */
    public String emulatorHost() {
        return host + ":" + port();
    }

    /**
     * Creates a database, and its instance if it does not exist.
     *
     * @param database {@code project/instance/database}, or the full name that Spanner uses
     * @param ddl the first DDL statements; if one fails, the database is not created
     * @throws io.grpc.StatusRuntimeException with the status that a client would receive, if the database exists or a
     * statement fails
     */
    public void createDatabase(String database, DatabaseDialect dialect, String... ddl) {
        backend.createDatabase(fullName(database), dialect, List.of(ddl));
    }

    /**
     * Drops a database; harmless if it does not exist.
     *
     * @param database as in {@link #createDatabase}
     */
    public void dropDatabase(String database) {
        backend.dropDatabase(fullName(database));
    }

    /**
     * Returns the partitions of a change stream, to split, merge and move them. The stream's option {@code
     * partition_mode} decides which records its queries return.
     *
     * @param database as in {@link #createDatabase}
     * @throws io.grpc.StatusRuntimeException NOT_FOUND if the database or the stream does not exist
     */
    public PartitionControl partitions(String database, String stream) {
        return backend.streams(fullName(database)).partitions(stream);
    }

    /**
     * Returns the fault injection of the queries of a change stream.
     *
     * @param database as in {@link #createDatabase}
     * @throws io.grpc.StatusRuntimeException NOT_FOUND if the database or the stream does not exist
     */
    public FaultControl faults(String database, String stream) {
        return backend.streams(fullName(database)).faults(stream);
    }

    /**
     * Returns the number of running change stream queries, for tests of readers that must end theirs.
     *
     * @param database as in {@link #createDatabase}
     * @throws io.grpc.StatusRuntimeException NOT_FOUND if the database does not exist
     */
    public int runningQueries(String database) {
        return backend.streams(fullName(database)).running();
    }

    /**
     * Records the rows that a database commits from now on, in memory, whether a change stream watches them or not.
     *
     * @param database as in {@link #createDatabase}
     * @throws io.grpc.StatusRuntimeException NOT_FOUND if the database does not exist
     */
    public CommitLog recordCommits(String database) {
        return backend.recordCommits(fullName(database));
    }

    /**
     * Waits until a reader has settled everything that the database has committed so far. Idle queries send their
     * heartbeats at once meanwhile, so that the reader need not wait for them.
     *
     * @param database as in {@link #createDatabase}
     * @param lowWatermark the reader's time before which every change is settled, such as {@code
     * subscriber::lowWatermark}; empty before it has begun
     * @param limit the longest wait, in real time
     * @throws IllegalStateException if the reader has not come so far by then
     */
    public void awaitDelivered(String database, Supplier<Optional<Instant>> lowWatermark, Duration limit)
            throws InterruptedException {
        new DeliveryWait(backend.streams(fullName(database)), clock, lowWatermark).await(limit);
    }

    private static String fullName(String database) {
        if (FULL_DATABASE.matcher(database).matches()) {
            return database;
        }
        var parts = DATABASE.matcher(database);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "a database is named project/instance/database, got \"" + database + "\"");
        }
        return "projects/%s/instances/%s/databases/%s".formatted(parts.group(1), parts.group(2), parts.group(3));
    }

    /** Waits until the emulator is closed, for programs that only run the emulator. */
    public void awaitTermination() throws InterruptedException {
        server.awaitTermination();
    }

    /** Ends all calls, and discards the data that is not held by another server. Closing twice is harmless. */
    @Override
    public void close() {
        server.shutdownNow();
        backend.close();
        try {
            server.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        executor.shutdownNow();
    }

    /** The settings with which an emulator is started. */
    public static final class Builder {
        private String host = "127.0.0.1";
        private int port;
        private long seed;
        private InstantSource clock = InstantSource.system();
        private PartitionChurn churn = PartitionChurn.none();
        private FaultRates faultRates = FaultRates.none();
        private @Nullable String over;

        private Builder() {}

        /**
         * Sets the address to listen on; 127.0.0.1 by default, since every client that reaches it has all permissions.
         */
        public Builder host(String address) {
            this.host = requireNonNull(address, "address");
            return this;
        }

        /** Sets the port to listen on; 0, the default, takes a free one. */
        public Builder port(int number) {
            if (number < 0 || number > 65_535) {
                throw new IllegalArgumentException("port must be between 0 and 65535, got " + number);
            }
            this.port = number;
            return this;
        }

        /**
         * Sets the seed of the emulator's random choices, such as when partitions split and streams break; 0 by
         * default.
         */
        public Builder seed(long number) {
            this.seed = number;
            return this;
        }

        /**
         * Sets the clock of commits, queries and partitions; the system clock by default. A {@link DrivenClock}
         * advances only when a test advances it; every other clock is expected to advance by itself.
         */
        public Builder clock(InstantSource source) {
            this.clock = requireNonNull(source, "source");
            return this;
        }

        /** Sets how partitions split, merge and move by themselves; {@link PartitionChurn#none} by default. */
        public Builder churn(PartitionChurn settings) {
            this.churn = requireNonNull(settings, "settings");
            return this;
        }

        /** Sets how often change stream queries fail by themselves; {@link FaultRates#none} by default. */
        public Builder faults(FaultRates rates) {
            this.faultRates = requireNonNull(rates, "rates");
            return this;
        }

        /**
         * Sets another server that holds the databases: Google's emulator. It answers schemas, SQL, transactions and
         * metadata; change stream queries are answered here, from what its streams return, with the churn, the faults
         * and the partitions of this emulator. Data is kept there when this emulator is closed; partitions are not.
         *
         * <p>All clients connect to this emulator. A stream that was created in the other server directly is found by the
         * first query that reads it. A {@link DrivenClock} holds changes back until it is advanced; it cannot
         * advance the other server's clock.
         *
         * @param otherHost host and port, as in {@code SPANNER_EMULATOR_HOST}
         */
        public Builder over(String otherHost) {
            this.over = requireNonNull(otherHost, "otherHost");
            return this;
        }

        private Backend backend() {
            StreamSettings settings = StreamSettings.of(churn, faultRates);
            return over == null
                    ? new EmbeddedBackend(clock, settings, seed)
                    : new UpstreamBackend(over, clock, settings, seed, MAX_MESSAGE_BYTES);
        }

        /** Starts the emulator, which listens until it is closed. */
        public SpannerEmulator start() {
            return new SpannerEmulator(this);
        }
    }
}
