package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.PartitionState;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A metadata table as another reader makes it, with rows as it writes them. Its rows expire after years instead of a
 * day, because those of the tests are old.
 *
 * @see <a href="https://github.com/apache/beam">Apache Beam, changestreams/dao/PartitionMetadataAdminDao</a>
 * @see <a href="https://github.com/toga4/spream">the Go spream, partition_metadata.sql</a>
 */
final class ForeignTable {
    /** The end timestamp that Apache Beam stores for a pipeline without an end. */
    static final Instant BEAMS_NEVER = Instant.parse("9999-12-31T23:59:59.999999998Z");

    /** The end timestamp that the Go spream stores. */
    static final Instant NEVER = Instant.parse("9999-12-31T23:59:59.999999999Z");

    private final MetadataDatabase database;
    private final String name;
    private Instant end = BEAMS_NEVER;

    private ForeignTable(MetadataDatabase database) {
        this.database = database;
        this.name = database.newTable();
    }

    /** With Beam's indexes: by watermark, and by the time of creation. */
    static ForeignTable ofBeam(MetadataDatabase database) {
        ForeignTable table = new ForeignTable(database);
        String suffix = table.name.toLowerCase(Locale.ROOT);
        table.apply(
                switch (database.dialect()) {
                    case GOOGLE_STANDARD_SQL ->
                        List.of(
                                table.googleTable("ARRAY<STRING(MAX)>"),
                                "CREATE INDEX IF NOT EXISTS WatermarkIdx_%s on %s (Watermark) STORING (State)"
                                        .formatted(suffix, table.name),
                                "CREATE INDEX IF NOT EXISTS CreatedAtIdx_%s ON %s (CreatedAt,StartTimestamp)"
                                        .formatted(suffix, table.name));
                    case POSTGRESQL ->
                        List.of(
                                table.postgresTable("text[]"),
                                "CREATE INDEX IF NOT EXISTS \"WatermarkIdx_%s\" on \"%s\" (\"Watermark\") INCLUDE (\"State\")"
                                        .formatted(suffix, table.name),
                                "CREATE INDEX IF NOT EXISTS \"CreatedAtIdx_%s\" ON \"%s\" (\"CreatedAt\",\"StartTimestamp\")"
                                        .formatted(suffix, table.name));
                });
        return table;
    }

    /** With the indexes that the Go spream recommends: by state and watermark, and by state and start. */
    static ForeignTable ofGoSpream(MetadataDatabase database) {
        ForeignTable table = new ForeignTable(database);
        table.end = NEVER;
        table.apply(
                switch (database.dialect()) {
                    case GOOGLE_STANDARD_SQL ->
                        List.of(
                                table.googleTable("ARRAY<STRING(MAX)> NOT NULL"),
                                "CREATE INDEX %1$sByStateWatermark ON %1$s (State, Watermark)".formatted(table.name),
                                "CREATE INDEX %1$sByStateStartTimestamp ON %1$s (State, StartTimestamp)"
                                        .formatted(table.name));
                    case POSTGRESQL -> List.of(table.postgresTable("text[] NOT NULL"));
                });
        return table;
    }

    private String googleTable(String parents) {
        return """
                CREATE TABLE IF NOT EXISTS %s (
                  PartitionToken STRING(MAX) NOT NULL,
                  ParentTokens %s,
                  StartTimestamp TIMESTAMP NOT NULL,
                  EndTimestamp TIMESTAMP NOT NULL,
                  HeartbeatMillis INT64 NOT NULL,
                  State STRING(MAX) NOT NULL,
                  Watermark TIMESTAMP NOT NULL,
                  CreatedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp=true),
                  ScheduledAt TIMESTAMP OPTIONS (allow_commit_timestamp=true),
                  RunningAt TIMESTAMP OPTIONS (allow_commit_timestamp=true),
                  FinishedAt TIMESTAMP OPTIONS (allow_commit_timestamp=true),
                ) PRIMARY KEY (PartitionToken), ROW DELETION POLICY (OLDER_THAN(FinishedAt, INTERVAL 9999 DAY))""".formatted(name, parents);
    }

    private String postgresTable(String parents) {
        return """
                CREATE TABLE IF NOT EXISTS "%s"("PartitionToken" text NOT NULL,"ParentTokens" %s,\
                "StartTimestamp" timestamptz NOT NULL,"EndTimestamp" timestamptz NOT NULL,\
                "HeartbeatMillis" BIGINT NOT NULL,"State" text NOT NULL,"Watermark" timestamptz NOT NULL,\
                "CreatedAt" SPANNER.COMMIT_TIMESTAMP NOT NULL,"ScheduledAt" SPANNER.COMMIT_TIMESTAMP,\
                "RunningAt" SPANNER.COMMIT_TIMESTAMP,"FinishedAt" SPANNER.COMMIT_TIMESTAMP,\
                 PRIMARY KEY ("PartitionToken")) TTL INTERVAL '9999 days' ON "FinishedAt\"""".formatted(name, parents);
    }

    private void apply(List<String> ddl) {
        try {
            database.connection()
                    .spanner()
                    .getDatabaseAdminClient()
                    .updateDatabaseDdl(
                            database.connection().database().instance(),
                            database.connection().database().database(),
                            ddl,
                            null)
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    String name() {
        return name;
    }

    MetadataTables tables() {
        return new MetadataTables(name, database.dialect());
    }

    /** Ends the subscription then, in the rows that follow. */
    ForeignTable endingAt(Instant newEnd) {
        end = newEnd;
        return this;
    }

    /** Adds a row whose reader wrote it long ago. */
    ForeignTable row(
            String token, @Nullable List<String> parents, Instant start, PartitionState state, Instant watermark) {
        Timestamp then = Timestamps.toTimestamp(start.plusMillis(5));
        boolean scheduled = state != PartitionState.CREATED;
        boolean running = scheduled && state != PartitionState.SCHEDULED;
        write(Mutation.newInsertBuilder(name)
                .set("PartitionToken")
                .to(token)
                .set("ParentTokens")
                .toStringArray(parents)
                .set("StartTimestamp")
                .to(Timestamps.toTimestamp(start))
                .set("EndTimestamp")
                .to(Timestamps.toTimestamp(end))
                .set("HeartbeatMillis")
                .to(2000)
                .set("State")
                .to(state.name())
                .set("Watermark")
                .to(Timestamps.toTimestamp(watermark))
                .set("CreatedAt")
                .to(then)
                .set("ScheduledAt")
                .to(scheduled ? then : null)
                .set("RunningAt")
                .to(running ? then : null)
                .set("FinishedAt")
                .to(state == PartitionState.FINISHED ? then : null)
                .build());
        return this;
    }

    /** Writes a row's watermark, as the reader would that is still there. */
    void schedule(String token) {
        write(Mutation.newUpdateBuilder(name)
                .set("PartitionToken")
                .to(token)
                .set("State")
                .to("SCHEDULED")
                .set("ScheduledAt")
                .to(Value.COMMIT_TIMESTAMP)
                .build());
    }

    private void write(Mutation mutation) {
        database.client().write(List.of(mutation));
    }

    /** The values that the other reader wrote, for comparison. */
    List<Struct> rows() {
        List<String> columns = MetadataColumn.ofBeam().stream()
                .map(column -> column.columnName)
                .toList();
        return MetadataReads.all(database.client().singleUse().read(name, KeySet.all(), columns));
    }

    /** The statement that makes the table as it is now. */
    String ddl() {
        return database
                .connection()
                .spanner()
                .getDatabaseAdminClient()
                .getDatabaseDdl(
                        database.connection().database().instance(),
                        database.connection().database().database())
                .stream()
                .filter(statement -> statement.matches("(?is)CREATE TABLE \"?" + name + "\"?\\s*\\(.*"))
                .findFirst()
                .orElseThrow();
    }

    boolean isPostgres() {
        return database.dialect() == Dialect.POSTGRESQL;
    }
}
