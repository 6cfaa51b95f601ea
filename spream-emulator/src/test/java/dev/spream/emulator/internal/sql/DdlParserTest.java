package dev.spream.emulator.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.CreateTable;
import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DdlParserTest {

    private static DdlStatement google(String ddl) {
        return DdlParser.parse(ddl, DatabaseDialect.GOOGLE_STANDARD_SQL, ProtoBundle.EMPTY);
    }

    private static DdlStatement postgres(String ddl) {
        return DdlParser.parse(ddl, DatabaseDialect.POSTGRESQL, ProtoBundle.EMPTY);
    }

    @Test
    void a_googlesql_table_is_understood() {
        CreateTable table = (CreateTable) google("""
                CREATE TABLE IF NOT EXISTS T (
                  A INT64 NOT NULL, B STRING(20), C ARRAY<STRING(MAX)>,
                  D TIMESTAMP OPTIONS (allow_commit_timestamp = true),
                ) PRIMARY KEY (A, B DESC), INTERLEAVE IN PARENT P ON DELETE CASCADE,
                ROW DELETION POLICY (OLDER_THAN(D, INTERVAL 1 DAY));
                """);
        assertThat(table.ifNotExists()).isTrue();
        assertThat(table.columns()).extracting(ColumnDef::name).containsExactly("A", "B", "C", "D");
        assertThat(table.columns().get(0).notNull()).isTrue();
        assertThat(table.columns().get(1).type().maxLength()).isEqualTo(20);
        assertThat(table.columns().get(2).type().declared()).isEqualTo("ARRAY<STRING(MAX)>");
        assertThat(table.columns().get(3).allowsCommitTimestamp()).isTrue();
        assertThat(table.primaryKey()).containsExactly(new KeyPart("A", false), new KeyPart("B", true));
        assertThat(table.parent()).get().returns(true, DdlStatement.Parent::deleteCascades);
        assertThat(table.deletionPolicy())
                .contains(new DeletionPolicy("D", 1, "ROW DELETION POLICY (OLDER_THAN(D, INTERVAL 1 DAY))"));
    }

    @Test
    void a_postgresql_table_is_understood() {
        CreateTable table = (CreateTable) postgres(
                "CREATE TABLE \"T\" (\"A\" bigint PRIMARY KEY, b character varying(20) NOT NULL, c double precision,"
                        + " d timestamp with time zone, e text[], f SPANNER.COMMIT_TIMESTAMP)"
                        + " TTL INTERVAL '3 days' ON f");
        assertThat(table.name()).isEqualTo("T");
        assertThat(table.primaryKey()).containsExactly(new KeyPart("A", false));
        assertThat(table.columns())
                .extracting(column -> column.type().declared())
                .containsExactly(
                        "bigint",
                        "character varying(20)",
                        "double precision",
                        "timestamp with time zone",
                        "character varying[]",
                        "spanner.commit_timestamp");
        assertThat(table.columns().get(0).notNull()).isTrue();
        assertThat(table.columns().get(5).allowsCommitTimestamp()).isTrue();
        assertThat(table.deletionPolicy()).contains(new DeletionPolicy("f", 3, "TTL INTERVAL '3 days' ON f"));
    }

    @ParameterizedTest
    @CsvSource({"24 HOURS, 1", "'1 day', 1", "'3 WEEKS 2 DAYS', 23", "'4 DAYS 2 MINUTES - 2 MINUTES', 4", "'0 days', 0"
    })
    void a_time_to_live_is_a_whole_number_of_days(String interval, int days) {
        CreateTable table = (CreateTable)
                postgres("CREATE TABLE t (a bigint PRIMARY KEY, d timestamptz) TTL INTERVAL '" + interval + "' ON d");
        assertThat(table.deletionPolicy()).get().returns(days, DeletionPolicy::days);
    }

    @ParameterizedTest
    @ValueSource(strings = {"4 DAYS 3 MINUTES", "-1 days", "1 month", "days", ""})
    void another_time_to_live_is_refused(String interval) {
        assertThatThrownBy(() -> postgres(
                        "CREATE TABLE t (a bigint PRIMARY KEY, d timestamptz) TTL INTERVAL '" + interval + "' ON d"))
                .hasMessageContaining("not a whole number of days");
    }

    @Test
    void an_index_is_understood() {
        CreateIndex index = (CreateIndex) google("CREATE UNIQUE NULL_FILTERED INDEX I ON T (A DESC, B) STORING (C, D)");
        assertThat(index.unique()).isTrue();
        assertThat(index.nullFiltered()).isTrue();
        assertThat(index.parts()).containsExactly(new KeyPart("A", true), new KeyPart("B", false));
        assertThat(index.storing()).containsExactly("C", "D");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE SEARCH INDEX I ON T (A)",
                "CREATE MODEL m",
                "CREATE TABLE T (A INT64 AUTO_INCREMENT) PRIMARY KEY (A)",
                "CREATE TABLE T (A INT64, B INT64 HIDDEN) PRIMARY KEY (A)",
                "CREATE TABLE T (A INT64, B TIMESTAMP DEFAULT (NULL) ON UPDATE (NULL)) PRIMARY KEY (A)",
                "CREATE TABLE T (A INT64 GENERATED ALWAYS AS IDENTITY (BIT_REVERSED_POSITIVE)) PRIMARY KEY (A)",
                "CREATE TABLE T (A INT64, SYNONYM (U)) PRIMARY KEY (A)",
                "ALTER TABLE T ADD SYNONYM U"
            })
    void options_that_are_not_enforced_are_refused(String ddl) {
        assertThatThrownBy(() -> google(ddl))
                .satisfies(e -> assertThat(codeOf(e)).isEqualTo(Status.Code.UNIMPLEMENTED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"CREATE TABLE", "CREATE TABLE T (A INT64", "CREATE TABLE T (A INT65) PRIMARY KEY (A)", ""})
    void broken_ddl_is_an_invalid_argument(String ddl) {
        assertThatThrownBy(() -> google(ddl))
                .satisfies(e -> assertThat(codeOf(e)).isEqualTo(Status.Code.INVALID_ARGUMENT));
    }

    private static Status.Code codeOf(Throwable e) {
        return ((StatusRuntimeException) e).getStatus().getCode();
    }
}
