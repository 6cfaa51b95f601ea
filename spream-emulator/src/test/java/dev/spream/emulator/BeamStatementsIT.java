package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The statements with which Apache Beam's change stream reader keeps its metadata.
 *
 * @see <a href="https://github.com/apache/beam">Beam, changestreams/dao/PartitionMetadataDao</a>
 */
class BeamStatementsIT {
    /** To the microsecond: MIN of Google's emulator cuts the rest off. */
    private static final Timestamp START = Timestamp.parseTimestamp("2026-03-01T10:00:00.123456Z");

    private static final Timestamp NEVER = Timestamp.parseTimestamp("9999-12-31T23:59:59.999999998Z");
    private static final Timestamp BEFORE = Timestamp.parseTimestamp("2026-01-01T00:00:00Z");

    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.found();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    private static void insert(DatabaseClient database, String token, List<String> parents) {
        database.write(List.of(Mutation.newInsertBuilder("Metadata")
                .set("PartitionToken")
                .to(token)
                .set("ParentTokens")
                .toStringArray(parents)
                .set("StartTimestamp")
                .to(START)
                .set("EndTimestamp")
                .to(NEVER)
                .set("HeartbeatMillis")
                .to(2000)
                .set("State")
                .to("CREATED")
                .set("Watermark")
                .to(START)
                .set("CreatedAt")
                .to(Value.COMMIT_TIMESTAMP)
                .build()));
    }

    /** Schedules those of the rows that the query finds, in one transaction. */
    private static void schedule(DatabaseClient database, Statement found) {
        database.readWriteTransaction().run(transaction -> {
            for (Struct row : EmulatedSpanner.rows(transaction.executeQuery(found))) {
                transaction.buffer(Mutation.newUpdateBuilder("Metadata")
                        .set("PartitionToken")
                        .to(row.getString("PartitionToken"))
                        .set("State")
                        .to("SCHEDULED")
                        .set("ScheduledAt")
                        .to(Value.COMMIT_TIMESTAMP)
                        .build());
            }
            return null;
        });
    }

    private static List<Struct> query(DatabaseClient database, Statement statement) {
        return EmulatedSpanner.rows(database.singleUse().executeQuery(statement));
    }

    private static void judge(DatabaseClient database, List<Struct> created) {
        assertThat(created).extracting(row -> row.getString("PartitionToken")).containsExactly("Parent0", "child");
        Struct root = created.getFirst();
        assertThat(root.getStringList("ParentTokens")).isEmpty();
        assertThat(root.getTimestamp("EndTimestamp")).isEqualTo(NEVER);
        assertThat(root.getTimestamp("StartTimestamp")).isEqualTo(START);
        assertThat(root.getTimestamp("CreatedAt")).isLessThan(created.get(1).getTimestamp("CreatedAt"));
        assertThat(root.isNull("FinishedAt")).isTrue();
        assertThat(created.get(1).getStringList("ParentTokens")).containsExactly("Parent0");
        assertThat(database.singleUse()
                        .readRow("Metadata", Key.of("child"), List.of("Watermark"))
                        .getTimestamp(0))
                .isEqualTo(START);
    }

    @Test
    void metadata_in_googlesql() throws Exception {
        String table = "CREATE TABLE IF NOT EXISTS Metadata (PartitionToken STRING(MAX) NOT NULL,"
                + "ParentTokens ARRAY<STRING(MAX)>,StartTimestamp TIMESTAMP NOT NULL,EndTimestamp TIMESTAMP NOT NULL,"
                + "HeartbeatMillis INT64 NOT NULL,State STRING(MAX) NOT NULL,Watermark TIMESTAMP NOT NULL,"
                + "CreatedAt TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp=true),"
                + "ScheduledAt TIMESTAMP OPTIONS (allow_commit_timestamp=true),"
                + "RunningAt TIMESTAMP OPTIONS (allow_commit_timestamp=true),"
                + "FinishedAt TIMESTAMP OPTIONS (allow_commit_timestamp=true),) PRIMARY KEY (PartitionToken),"
                + " ROW DELETION POLICY (OLDER_THAN(FinishedAt, INTERVAL 1 DAY))";
        DatabaseId id = spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                table,
                "CREATE INDEX IF NOT EXISTS WatermarkIdx on Metadata (Watermark) STORING (State)",
                "CREATE INDEX IF NOT EXISTS CreatedAtIdx ON Metadata (CreatedAt,StartTimestamp)");
        DatabaseClient database = spanner.connect(id);
        assertThat(EmulatedSpanner.query(
                        database,
                        "SELECT t.table_name FROM information_schema.tables AS t WHERE t.table_catalog = '' AND"
                                + " t.table_schema = '' AND t.table_name = 'Metadata'"))
                .hasSize(1);
        insert(database, "Parent0", List.of());
        insert(database, "child", List.of("Parent0"));

        judge(
                database,
                query(
                        database,
                        Statement.newBuilder(
                                        "SELECT * FROM Metadata WHERE CreatedAt > @timestamp ORDER BY CreatedAt ASC,"
                                                + " StartTimestamp ASC")
                                .bind("timestamp")
                                .to(BEFORE)
                                .build()));
        schedule(
                database,
                Statement.newBuilder("SELECT * FROM Metadata WHERE PartitionToken IN UNNEST(@partitionTokens) AND State"
                                + " = @state")
                        .bind("partitionTokens")
                        .toStringArray(List.of("Parent0", "nobody"))
                        .bind("state")
                        .to("CREATED")
                        .build());
        assertThat(query(
                                database,
                                Statement.newBuilder("SELECT * FROM Metadata WHERE PartitionToken = @partition")
                                        .bind("partition")
                                        .to("Parent0")
                                        .build())
                        .getFirst()
                        .getString("State"))
                .isEqualTo("SCHEDULED");
        assertThat(query(
                                database,
                                Statement.newBuilder(
                                                "SELECT MIN(Watermark) as min_watermark FROM Metadata WHERE State != @state"
                                                        + " AND Watermark >= @since;")
                                        .bind("state")
                                        .to("FINISHED")
                                        .bind("since")
                                        .to(BEFORE)
                                        .build())
                        .getFirst()
                        .getTimestamp("min_watermark"))
                .isEqualTo(START);
        assertThat(query(
                                database,
                                Statement.newBuilder(
                                                "SELECT COUNT(*) as count FROM Metadata WHERE CreatedAt > @timestamp")
                                        .bind("timestamp")
                                        .to(BEFORE)
                                        .build())
                        .getFirst()
                        .getLong("count"))
                .isEqualTo(2);
        assertThat(EmulatedSpanner.query(
                        database,
                        "SELECT index_name FROM information_schema.indexes WHERE table_schema = '' AND table_name ="
                                + " 'Metadata' AND index_type != 'PRIMARY_KEY'"))
                .extracting(row -> row.getString("index_name"))
                .containsExactlyInAnyOrder("WatermarkIdx", "CreatedAtIdx");
        drop(id, "DROP INDEX WatermarkIdx", "DROP INDEX CreatedAtIdx", "DROP TABLE Metadata");
    }

    @Test
    void metadata_in_postgresql() throws Exception {
        String table =
                "CREATE TABLE IF NOT EXISTS \"Metadata\"(\"PartitionToken\" text NOT NULL,\"ParentTokens\" text[],"
                        + "\"StartTimestamp\" timestamptz NOT NULL,\"EndTimestamp\" timestamptz NOT NULL,"
                        + "\"HeartbeatMillis\" BIGINT NOT NULL,\"State\" text NOT NULL,\"Watermark\" timestamptz NOT NULL,"
                        + "\"CreatedAt\" SPANNER.COMMIT_TIMESTAMP NOT NULL,\"ScheduledAt\" SPANNER.COMMIT_TIMESTAMP,"
                        + "\"RunningAt\" SPANNER.COMMIT_TIMESTAMP,\"FinishedAt\" SPANNER.COMMIT_TIMESTAMP,"
                        + " PRIMARY KEY (\"PartitionToken\")) TTL INTERVAL '1 days' ON \"FinishedAt\"";
        DatabaseId id = spanner.createDatabase(
                Dialect.POSTGRESQL,
                table,
                "CREATE INDEX IF NOT EXISTS \"WatermarkIdx\" on \"Metadata\" (\"Watermark\") INCLUDE (\"State\")",
                "CREATE INDEX IF NOT EXISTS \"CreatedAtIdx\" ON \"Metadata\" (\"CreatedAt\",\"StartTimestamp\")");
        DatabaseClient database = spanner.connect(id);
        insert(database, "Parent0", List.of());
        insert(database, "child", List.of("Parent0"));

        judge(
                database,
                query(
                        database,
                        Statement.newBuilder(
                                        "SELECT * FROM \"Metadata\" WHERE \"CreatedAt\" > $1 ORDER BY \"CreatedAt\""
                                                + " ASC, \"StartTimestamp\" ASC")
                                .bind("p1")
                                .to(BEFORE)
                                .build()));
        schedule(
                database,
                Statement.of("SELECT * FROM \"Metadata\" WHERE \"State\" = 'CREATED' AND \"PartitionToken\" = ANY"
                        + " (Array['Parent0','nobody'])"));
        assertThat(query(
                                database,
                                Statement.newBuilder("SELECT * FROM \"Metadata\" WHERE \"PartitionToken\" = $1")
                                        .bind("p1")
                                        .to("Parent0")
                                        .build())
                        .getFirst()
                        .getString("State"))
                .isEqualTo("SCHEDULED");
        assertThat(query(
                                database,
                                Statement.newBuilder(
                                                "SELECT MIN(\"Watermark\") as min_watermark FROM \"Metadata\" WHERE"
                                                        + " \"State\" != $1 AND \"Watermark\" >= $2")
                                        .bind("p1")
                                        .to("FINISHED")
                                        .bind("p2")
                                        .to(BEFORE)
                                        .build())
                        .getFirst()
                        .getTimestamp("min_watermark"))
                .isEqualTo(START);
        assertThat(EmulatedSpanner.query(
                        database,
                        "SELECT index_name FROM information_schema.indexes WHERE table_schema = 'public' AND table_name ="
                                + " 'Metadata' AND index_type != 'PRIMARY_KEY'"))
                .extracting(row -> row.getString("index_name"))
                .containsExactlyInAnyOrder("WatermarkIdx", "CreatedAtIdx");
        drop(id, "DROP INDEX \"WatermarkIdx\"", "DROP INDEX \"CreatedAtIdx\"", "DROP TABLE \"Metadata\"");
    }

    private static void drop(DatabaseId id, String... ddl) throws Exception {
        spanner.client()
                .getDatabaseAdminClient()
                .updateDatabaseDdl(id.getInstanceId().getInstance(), id.getDatabase(), List.of(ddl), null)
                .get();
    }
}
