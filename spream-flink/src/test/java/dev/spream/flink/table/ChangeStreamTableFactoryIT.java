package dev.spream.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of declared tables, planned as Flink plans them; nothing is read. */
final class ChangeStreamTableFactoryIT {
    private static final String STREAM =
            "'database' = 'projects/p/instances/i/databases/d', 'stream' = 'S', 'table' = 'Accounts'";
    private static final String COLUMNS = "Id STRING, Owner STRING, Amount BIGINT, PRIMARY KEY (Id) NOT ENFORCED";

    private static final TableEnvironment SHARED = environment(Map.of("execution.checkpointing.interval", "1 s"));

    private TableEnvironment environment = SHARED;

    private static TableEnvironment environment(Map<String, String> options) {
        TableEnvironment environment = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
        options.forEach(environment.getConfig()::set);
        return environment;
    }

    @AfterEach
    void drop() {
        SHARED.executeSql("DROP TABLE IF EXISTS Accounts");
        SHARED.executeSql("DROP TABLE IF EXISTS Transfers");
    }

    private void turnCheckpointsOff() {
        environment = environment(Map.of());
    }

    private String plan(String columns, String options) {
        environment.executeSql("CREATE TABLE Accounts (%s) WITH ('connector' = 'spanner-change-stream', %s)"
                .formatted(columns, options));
        return environment.explainSql("SELECT Owner, SUM(Amount) FROM Accounts GROUP BY Owner");
    }

    private String planOf(String columns) {
        return plan(columns, STREAM);
    }

    /** Flink wraps the exception in others, some of which have all options of the table. */
    private static void assertRefused(ThrowingCallable planned, String message) {
        assertThatThrownBy(planned)
                .satisfies(thrown -> assertThat(messages(thrown)).contains(message));
    }

    private static String messages(Throwable thrown) {
        Throwable cause = thrown.getCause();
        return thrown.getMessage() + (cause == null ? "" : "\n" + messages(cause));
    }

    @Test
    void without_old_values_changes_are_upserts_by_the_primary_key() {
        assertThat(planOf(COLUMNS)).contains("ChangelogNormalize(key=[Id]");
    }

    @Test
    void with_old_values_changes_are_rows_before_and_after() {
        assertThat(plan(COLUMNS, STREAM + ", 'value-capture' = 'NEW_ROW_AND_OLD_VALUES'"))
                .doesNotContain("ChangelogNormalize");
        environment.executeSql("DROP TABLE Accounts");
        assertThat(plan(
                        "Id STRING, Owner STRING, Amount BIGINT NOT NULL",
                        STREAM + ", 'value-capture' = 'old_and_new_values'"))
                .doesNotContain("ChangelogNormalize");
    }

    @Test
    void with_metadata_columns_changes_are_upserts() {
        assertThat(plan(
                        COLUMNS + ", Committed TIMESTAMP_LTZ(3) METADATA FROM 'commit-timestamp'",
                        STREAM + ", 'value-capture' = 'NEW_ROW_AND_OLD_VALUES'"))
                .contains("ChangelogNormalize(key=[Id]");
        assertRefused(
                () -> {
                    environment.executeSql("DROP TABLE Accounts");
                    plan(
                            "Owner STRING, Amount BIGINT, Tag STRING METADATA FROM 'transaction-tag'",
                            STREAM + ", 'value-capture' = 'NEW_ROW_AND_OLD_VALUES'");
                },
                "with metadata columns, changes are upserts by a primary key, and none is declared");
    }

    @Test
    void the_commit_timestamp_can_be_the_event_time_with_the_watermarks_of_the_source() {
        assertThat(
                        planOf(
                                COLUMNS
                                        + ", Committed TIMESTAMP_LTZ(3) METADATA FROM 'commit-timestamp', WATERMARK FOR Committed AS SOURCE_WATERMARK()"))
                .containsPattern("(?s)== Optimized Physical Plan ==((?!WatermarkAssigner).)*$");
    }

    @Test
    void the_statements_of_the_guide_can_be_planned() throws IOException {
        Matcher block = Pattern.compile("```sql\\n(.*?);\\n\\n(.*?);\\n```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("../docs/flink.md")));
        assertThat(block.find()).isTrue();
        environment.executeSql(block.group(1));
        assertThat(environment.explainSql(block.group(2))).contains("Transfers");
    }

    @Test
    void all_options_are_accepted() {
        assertThat(
                        plan(
                                COLUMNS,
                                STREAM
                                        + ", 'emulator-host' = 'localhost:9010', 'database-role' = 'reader', 'ordering' = 'key', 'heartbeat-interval' = '200 ms', 'value-capture' = 'NEW_ROW', 'scan.snapshot' = 'false', 'scan.startup.timestamp' = '2026-01-31T10:00:00Z', 'scan.bounded.timestamp' = '2026-01-31T11:00:00Z'"))
                .contains("Accounts");
    }

    @Test
    void a_stored_subscription_is_a_beginning() {
        assertThat(
                        plan(
                                COLUMNS,
                                STREAM
                                        + ", 'scan.startup.subscription' = 'Partitions', 'scan.startup.subscription-database' = 'projects/p/instances/i/databases/d', 'scan.startup.subscription-database-role' = 'r', 'max-open-queries' = '5'"))
                .contains("Accounts");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'scan.startup.subscription' = 'Partitions', 'scan.snapshot' = 'true' | a stored subscription has its own beginning, and a start or a snapshot is given",
                "'scan.startup.subscription-database' = 'd' | scan.startup.subscription-database is set without scan.startup.subscription",
                "'scan.startup.subscription-database-role' = 'r' | scan.startup.subscription-database-role is set without scan.startup.subscription",
                "'max-open-queries' = '0' | maxOpenQueries must be from 1 to 25500, was 0",
                "'scan.startup.timestamp' = 'yesterday' | scan.startup.timestamp is yesterday, must be a timestamp such as 2026-01-31T10:00:00Z",
                "'scan.startup.timestamp' = '2026-01-31T10:00:00Z', 'scan.snapshot' = 'true' | a snapshot begins at its own time, and a start is given",
                "'heartbeat-interval' = '1 ms' | heartbeatInterval is 1 ms, must be from 100 ms to 5 min",
                "'ordering' = 'PARTITION' | ordering is PARTITION, must be KEY or NONE",
                "'value-capture' = 'UNKNOWN' | value-capture is UNKNOWN, must be what the stream captures",
                "'value-capture' = 'ALL' | Could not parse value 'ALL' for key 'value-capture'",
                "'tabel' = 'x' | Unsupported options found"
            },
            quoteCharacter = '`')
    void a_wrong_option_is_refused(String option, String message) {
        assertRefused(() -> plan(COLUMNS, STREAM + ", " + option), message);
    }

    @Test
    void no_primary_key_is_refused_without_old_values() {
        assertRefused(
                () -> planOf("Id STRING, Owner STRING, Amount BIGINT"),
                "table Accounts: without old values, changes are upserts by a primary key, and none is declared: add PRIMARY KEY (…) NOT ENFORCED");
    }

    @Test
    void columns_that_a_delete_does_not_have_cannot_be_declared_not_null() {
        assertRefused(
                () -> planOf("Id STRING, Owner STRING, Amount BIGINT NOT NULL, PRIMARY KEY (Id) NOT ENFORCED"),
                "without old values, a delete has the primary key alone, and NOT NULL is declared for Amount: leave that out, or let the stream capture old values and set 'value-capture' = 'NEW_ROW_AND_OLD_VALUES'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "INT | column Extra is declared as INT, which no column of Spanner is: declare it as BIGINT",
                "TIMESTAMP(3) | declare it as TIMESTAMP_LTZ(9)",
                "ARRAY<INT> | declare it as ARRAY<BIGINT>",
                "CHAR(3) | declare it as STRING",
                "MAP<STRING, STRING> | declare it as BOOLEAN, BIGINT, FLOAT, DOUBLE, DECIMAL(38, 9), STRING"
            })
    void a_type_that_no_column_of_spanner_has_is_refused(String type, String message) {
        assertRefused(() -> planOf("Extra " + type + ", " + COLUMNS), message);
    }

    @Test
    void checkpoints_that_are_not_aligned_by_their_mode_are_refused() {
        environment = environment(
                Map.of("execution.checkpointing.interval", "1 s", "execution.checkpointing.mode", "AT_LEAST_ONCE"));
        assertRefused(
                () -> planOf(COLUMNS),
                "source Accounts: changes of a key keep their order by aligned checkpoints, and execution.checkpointing.mode is AT_LEAST_ONCE: set it to EXACTLY_ONCE");
    }

    @Test
    void checkpoints_that_are_off_are_refused() {
        turnCheckpointsOff();
        assertRefused(
                () -> planOf(COLUMNS),
                "source Accounts: changes of a key keep their order by checkpoints, and the job has none: set execution.checkpointing.interval");
    }

    @Test
    void unaligned_checkpoints_are_refused() {
        environment = environment(
                Map.of("execution.checkpointing.interval", "1 s", "execution.checkpointing.unaligned.enabled", "true"));
        assertRefused(
                () -> planOf(COLUMNS),
                "source Accounts: changes of a key keep their order by aligned checkpoints, and those of the job are unaligned: set execution.checkpointing.unaligned.enabled to false");
    }

    @Test
    void without_an_order_checkpoints_may_be_off() {
        turnCheckpointsOff();
        assertThat(plan(COLUMNS, STREAM + ", 'ordering' = 'NONE'")).contains("Accounts");
    }
}
