package dev.spream.storage.spanner;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerExceptionFactory;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;

/** A database of its own with a table of accounts and a change stream of it, on one server, in one dialect. */
final class AccountDatabase implements AutoCloseable {
    static final String STREAM = "AccountStream";
    static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofMillis(3);

    private final SpannerServer server;
    private final Dialect dialect;
    private final DatabaseName name;
    private final SpannerConnection connection;
    private final SpannerChangeStreamSource source;
    private int accounts;

    AccountDatabase(SpannerServer server, Dialect dialect) {
        this.server = server;
        this.dialect = dialect;
        this.name = DatabaseName.parse(server.createDatabase(dialect, ddl()).getName());
        this.connection = connect(name);
        this.source = SpannerChangeStreamSource.open(connection.client(), STREAM);
    }

    private List<String> ddl() {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL -> List.of("""
                    CREATE TABLE Account (Id STRING(36) NOT NULL, Balance INT64, Active BOOL, Rate FLOAT64, Opened DATE,
                    Seen TIMESTAMP, Photo BYTES(MAX), Price NUMERIC, Details JSON, Tags ARRAY<STRING(MAX)>,
                    Scores ARRAY<INT64>) PRIMARY KEY (Id)""", "CREATE CHANGE STREAM AccountStream FOR ALL");
            case POSTGRESQL -> List.of("""
                    CREATE TABLE "Account" ("Id" varchar(36) NOT NULL PRIMARY KEY, "Balance" bigint, "Active" boolean,
                    "Rate" double precision, "Opened" date, "Seen" timestamptz, "Photo" bytea, "Price" numeric,
                    "Details" jsonb, "Tags" varchar[], "Scores" bigint[])""", "CREATE CHANGE STREAM \"AccountStream\" FOR ALL");
        };
    }

    /** A connection to another database of the same server. */
    SpannerConnection connect(DatabaseName other) {
        return SpannerConnection.builder(other)
                .emulatorHost(server.emulatorHost())
                .channels(2)
                .open();
    }

    /** Creates another stream of the same table, which keeps its records for that long. */
    void createStream(String name, String retentionPeriod) {
        alter(
                switch (dialect) {
                    case GOOGLE_STANDARD_SQL ->
                        "CREATE CHANGE STREAM %s FOR ALL OPTIONS (retention_period = '%s')"
                                .formatted(name, retentionPeriod);
                    case POSTGRESQL ->
                        "CREATE CHANGE STREAM \"%s\" FOR ALL WITH (retention_period = '%s')"
                                .formatted(name, retentionPeriod);
                });
    }

    void alterRetention(String stream, String retentionPeriod) {
        alter(
                switch (dialect) {
                    case GOOGLE_STANDARD_SQL ->
                        "ALTER CHANGE STREAM %s SET OPTIONS (retention_period = '%s')"
                                .formatted(stream, retentionPeriod);
                    case POSTGRESQL ->
                        "ALTER CHANGE STREAM \"%s\" SET (retention_period = '%s')".formatted(stream, retentionPeriod);
                });
    }

    private void alter(String statement) {
        try (Spanner spanner = server.client()) {
            spanner.getDatabaseAdminClient()
                    .updateDatabaseDdl(name.instance(), name.database(), List.of(statement), null)
                    .get();
        } catch (ExecutionException e) {
            throw SpannerExceptionFactory.asSpannerException(e.getCause());
        } catch (InterruptedException e) {
            throw SpannerExceptionFactory.propagateInterrupt(e);
        }
    }

    /** Returns whether Google's emulator answers its queries, which leaves out a change now and then. */
    boolean isGoogles() {
        return SpannerServers.areAll()
                && SpannerServers.google().filter(server::equals).isPresent();
    }

    Dialect dialect() {
        return dialect;
    }

    DatabaseName name() {
        return name;
    }

    DatabaseClient client() {
        return connection.client();
    }

    SpannerChangeStreamSource source() {
        return source;
    }

    /** Inserts accounts, a transaction each, a few hundred a second, and returns their ids. */
    Set<String> writeAccountsFor(Duration time) {
        Set<String> ids = new HashSet<>();
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            String id = "account-" + accounts++;
            client().write(List.of(Mutation.newInsertBuilder("Account")
                    .set("Id")
                    .to(id)
                    .set("Balance")
                    .to(ids.size())
                    .build()));
            ids.add(id);
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return ids;
    }

    /** The query of a partition until it ends. */
    static PartitionQuery unbounded(PartitionToken token, Instant start) {
        return new PartitionQuery(token, start, Optional.empty(), HEARTBEAT);
    }

    /** The query of a first partition of the stream, until it ends. */
    PartitionQuery childOfRoot(Instant start) throws InterruptedException {
        PartitionQuery root = unbounded(PartitionToken.ROOT, start);
        ChildPartitionsRecord children =
                (ChildPartitionsRecord) StreamWalk.records(source, root).getFirst();
        PartitionToken token =
                new PartitionToken(children.childPartitions().getFirst().token());
        return unbounded(token, children.startTimestamp());
    }

    @Override
    public void close() {
        source.close();
        connection.close();
    }
}
