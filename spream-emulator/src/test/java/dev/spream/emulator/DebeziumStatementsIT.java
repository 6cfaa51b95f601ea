package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TimestampBound;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The statements with which Debezium's connector reads the schema before it reads a change stream.
 *
 * @see <a href="https://github.com/debezium/debezium-connector-spanner">Debezium, db/dao/SchemaDao</a>
 */
class DebeziumStatementsIT {
    private static final String JOINS = " from  information_schema.change_streams cs\n"
            + "left join  information_schema.change_stream_tables cst\n"
            + "on  cst.change_stream_name = cs.change_stream_name\n"
            + "left join  information_schema.change_stream_columns csc\n"
            + "on  csc.change_stream_name = cs.change_stream_name\n  and csc.table_name = cst.table_name\n"
            + "where cs.change_stream_name = ";

    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.found();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    /** Queries at a read timestamp, as Debezium does for the schema of a commit. */
    private static List<Struct> query(DatabaseClient database, Statement statement) {
        try (ReadOnlyTransaction now = database.readOnlyTransaction(TimestampBound.ofReadTimestamp(Timestamp.now()))) {
            return EmulatedSpanner.rows(now.executeQuery(statement));
        }
    }

    private static Statement named(String sql, String parameter, String name) {
        return Statement.newBuilder(sql).bind(parameter).to(name).build();
    }

    private static Statement ofTables(String sql) {
        return Statement.newBuilder(sql)
                .bind("tables")
                .toStringArray(List.of("Accounts"))
                .build();
    }

    @Test
    void schema_in_googlesql() throws Exception {
        DatabaseClient database = spanner.connect(spanner.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Accounts (Id INT64 NOT NULL, Owner STRING(MAX)) PRIMARY KEY (Id)",
                "CREATE CHANGE STREAM Everything FOR ALL",
                "CREATE CHANGE STREAM Owners FOR Accounts(Owner)"));
        assertThat(EmulatedSpanner.rows(database.singleUse()
                        .executeQuery(named(
                                "select change_stream_name from information_schema.change_streams cs"
                                        + " where cs.change_stream_name = @streamname",
                                "streamName",
                                "Owners"))))
                .hasSize(1);
        String streams = "select  cs.all,  cst.table_name,  cst.all_columns,  csc.column_name" + JOINS + "@streamName";
        assertThat(query(database, named(streams, "streamName", "Everything")))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.getBoolean("all")).isTrue();
                    assertThat(row.isNull("table_name")).isTrue();
                });
        assertThat(query(database, named(streams, "streamName", "Owners")))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.getBoolean("all")).isFalse();
                    assertThat(row.getString("table_name")).isEqualTo("Accounts");
                    assertThat(row.getBoolean("all_columns")).isFalse();
                    assertThat(row.getString("column_name")).isEqualTo("Owner");
                });
        assertThat(query(
                        database,
                        ofTables("SELECT  table_name,  column_name,  spanner_type,  ordinal_position,"
                                + "  IF(is_nullable = 'YES', true, false) AS is_nullable\nFROM"
                                + "  information_schema.COLUMNS \nWHERE  table_catalog = ''  AND table_schema = ''"
                                + "  AND table_name in UNNEST(@tables)")))
                .extracting(row -> row.getString(1) + " " + row.getString(2) + " " + row.getLong(3) + " "
                        + row.getBoolean("is_nullable"))
                .containsExactlyInAnyOrder("Id INT64 1 false", "Owner STRING(MAX) 2 true");
        assertThat(query(
                        database,
                        ofTables("SELECT  table_name,  column_name\nFROM  information_schema.index_columns \n"
                                + "WHERE   index_name = 'PRIMARY_KEY'  AND table_name in UNNEST(@tables)")))
                .extracting(row -> row.getString(1))
                .containsExactly("Id");
    }

    @Test
    void schema_in_postgresql() throws Exception {
        DatabaseClient database = spanner.connect(spanner.createDatabase(
                Dialect.POSTGRESQL,
                "CREATE TABLE accounts (id bigint NOT NULL PRIMARY KEY, owner varchar)",
                "CREATE CHANGE STREAM owners FOR accounts(owner)"));
        assertThat(query(
                        database,
                        named(
                                "select  CASE WHEN cs.all = 'YES' then true else false end AS all,  cst.table_name,"
                                        + "  CASE WHEN cst.all_columns = 'YES' then true else false end AS all_columns,"
                                        + "  csc.column_name" + JOINS + "$1",
                                "p1",
                                "owners")))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.getBoolean("all")).isFalse();
                    assertThat(row.getString("table_name")).isEqualTo("accounts");
                    assertThat(row.getBoolean("all_columns")).isFalse();
                    assertThat(row.getString("column_name")).isEqualTo("owner");
                });
        assertThat(query(
                        database,
                        Statement.of("SELECT  table_name,  column_name,  spanner_type,  ordinal_position,"
                                + "  CASE WHEN is_nullable = 'YES' THEN TRUE ELSE FALSE END AS is_nullable\nFROM"
                                + "  information_schema.COLUMNS \nWHERE  table_schema = 'public'"
                                + " AND table_name = ANY(Array['accounts'])")))
                .extracting(row -> row.getString(1) + " " + row.getLong(3) + " " + row.getBoolean("is_nullable"))
                .containsExactlyInAnyOrder("id 1 false", "owner 2 true");
    }
}
