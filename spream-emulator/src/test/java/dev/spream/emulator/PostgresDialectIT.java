package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.ByteArray;
import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Type;
import com.google.cloud.spanner.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The database side through the real client, in PostgreSQL. */
class PostgresDialectIT {
    private static final Timestamp LAST = Timestamp.parseTimestamp("9999-12-31T23:59:59.999999999Z");

    private static EmulatedSpanner spanner;

    @BeforeAll
    static void start() {
        spanner = EmulatedSpanner.found();
    }

    @AfterAll
    static void stop() {
        spanner.close();
    }

    private static DatabaseClient database(String... ddl) throws Exception {
        return spanner.connect(spanner.createDatabase(Dialect.POSTGRESQL, ddl));
    }

    private static List<Struct> query(DatabaseClient database, Statement statement) {
        List<Struct> rows = new ArrayList<>();
        try (ResultSet results = database.singleUse().executeQuery(statement)) {
            while (results.next()) {
                rows.add(results.getCurrentRowAsStruct());
            }
        }
        return rows;
    }

    @Test
    void values_of_all_types_round_trip() throws Exception {
        DatabaseClient database = database("""
                CREATE TABLE everything (
                  id bigint PRIMARY KEY, b boolean, f double precision, f4 real, n numeric, s varchar, y bytea, d date,
                  t timestamptz, j jsonb, "is" bigint[], ss text[], ts timestamptz[], ns numeric[], c spanner.commit_timestamp)
                """);
        Timestamp committed = database.write(List.of(
                Mutation.newInsertBuilder("everything")
                        .set("id")
                        .to(1)
                        .set("b")
                        .to(true)
                        .set("f")
                        .to(Double.POSITIVE_INFINITY)
                        .set("f4")
                        .to(0.1f)
                        .set("n")
                        .to(Value.pgNumeric("123456789012345678901234567890123456789012.5"))
                        .set("s")
                        .to("text")
                        .set("y")
                        .to(ByteArray.copyFrom("y"))
                        .set("d")
                        .to(Date.parseDate("2024-02-29"))
                        .set("t")
                        .to(LAST)
                        .set("j")
                        .to(Value.pgJsonb("{\"a\": 1}"))
                        .set("is")
                        .toInt64Array(Arrays.asList(1L, null))
                        .set("ss")
                        .toStringArray(Arrays.asList("a", null))
                        .set("ts")
                        .toTimestampArray(Arrays.asList(LAST, null))
                        .set("ns")
                        .to(Value.pgNumericArray(List.of("0.000000001", "-7")))
                        .set("c")
                        .to(Value.COMMIT_TIMESTAMP)
                        .build(),
                Mutation.newInsertBuilder("everything").set("id").to(2).build()));
        List<Struct> rows = query(database, Statement.of("SELECT * FROM everything ORDER BY id"));
        Struct row = rows.get(0);
        assertThat(row.getBoolean("b")).isTrue();
        assertThat(row.getDouble("f")).isInfinite();
        assertThat(row.getFloat("f4")).isEqualTo(0.1f);
        assertThat(row.getColumnType("n")).isEqualTo(Type.pgNumeric());
        assertThat(row.getString("n")).isEqualTo("123456789012345678901234567890123456789012.5");
        assertThat(row.getString("s")).isEqualTo("text");
        assertThat(row.getBytes("y")).isEqualTo(ByteArray.copyFrom("y"));
        assertThat(row.getDate("d")).isEqualTo(Date.parseDate("2024-02-29"));
        assertThat(row.getTimestamp("t")).isEqualTo(LAST);
        assertThat(row.getColumnType("j")).isEqualTo(Type.pgJsonb());
        assertThat(row.getPgJsonb("j").replace(" ", "")).isEqualTo("{\"a\":1}");
        assertThat(row.getLongList("is")).containsExactly(1L, null);
        assertThat(row.getStringList("ss")).containsExactly("a", null);
        assertThat(row.getTimestampList("ts")).containsExactly(LAST, null);
        assertThat(row.getColumnType("ns")).isEqualTo(Type.array(Type.pgNumeric()));
        assertThat(row.getStringList("ns")).containsExactly("0.000000001", "-7");
        assertThat(row.getTimestamp("c")).isEqualTo(committed);
        for (int i = 1; i < rows.get(1).getColumnCount(); i++) {
            assertThat(rows.get(1).isNull(i)).isTrue();
            assertThat(rows.get(1).getColumnType(i)).isEqualTo(row.getColumnType(i));
        }
    }

    @Test
    void quoted_names_casts_and_arrays_in_queries_work() throws Exception {
        Timestamp far = Timestamp.parseTimestamp("9999-12-31T23:59:59.999999Z");
        DatabaseClient database = database(
                "CREATE TABLE \"Meta\" (\"Token\" text NOT NULL, \"State\" text NOT NULL, \"Watermark\" timestamptz,"
                        + " \"CreatedAt\" spanner.commit_timestamp NOT NULL, PRIMARY KEY (\"Token\"))"
                        + " TTL INTERVAL '1 days' ON \"CreatedAt\"",
                "CREATE INDEX IF NOT EXISTS \"ByWatermark\" ON \"Meta\" (\"Watermark\") INCLUDE (\"State\")");
        database.readWriteTransaction()
                .run(transaction -> transaction.executeUpdate(Statement.newBuilder(
                                "INSERT INTO \"Meta\" (\"Token\", \"State\", \"Watermark\", \"CreatedAt\")"
                                        + " VALUES ($1, $2, $3, SPANNER.PENDING_COMMIT_TIMESTAMP()), ('b', 'NEW',"
                                        + " '2024-01-01T00:00:00.000001Z'::timestamptz, SPANNER.PENDING_COMMIT_TIMESTAMP())")
                        .bind("p1")
                        .to("a")
                        .bind("p2")
                        .to("NEW")
                        .bind("p3")
                        .to(far)
                        .build()));
        assertThat(query(
                        database,
                        Statement.newBuilder("SELECT \"Token\", min(\"Watermark\") AS low FROM \"Meta\" WHERE \"State\""
                                        + " = ANY($1) GROUP BY \"Token\" ORDER BY low LIMIT $2")
                                .bind("p1")
                                .toStringArray(List.of("NEW"))
                                .bind("p2")
                                .to(10)
                                .build()))
                .extracting(row -> row.getString(0) + "@" + row.getTimestamp("low"))
                .containsExactly("b@2024-01-01T00:00:00.000001000Z", "a@" + far);
        assertThat(database.singleUse().readRow("Meta", Key.of("a"), List.of("Watermark")))
                .isNotNull();
        assertThat(query(database, Statement.of("SELECT count(*), sum(1), now() IS NOT NULL FROM \"Meta\""))
                        .getFirst()
                        .getLong(0))
                .isEqualTo(2);
    }

    @Test
    void clients_see_the_dialect_and_the_schema() throws Exception {
        DatabaseClient database = database("CREATE TABLE t (id bigint NOT NULL, v varchar(10), PRIMARY KEY (id))");
        assertThat(database.getDialect()).isEqualTo(Dialect.POSTGRESQL);
        assertThat(query(
                        database,
                        Statement.of("SELECT column_name, spanner_type, is_nullable FROM information_schema.columns"
                                + " WHERE table_schema = 'public' AND table_name = 't' ORDER BY ordinal_position")))
                .extracting(row -> row.getString(0) + " " + row.getString(1) + " " + row.getString(2))
                .containsExactly("id bigint NO", "v character varying(10) YES");
    }

    @Test
    void dml_returns_rows() throws Exception {
        DatabaseClient database = database("CREATE TABLE t (id bigint PRIMARY KEY, v bigint)");
        List<Long> returned = database.readWriteTransaction().run(transaction -> {
            List<Long> values = new ArrayList<>();
            try (ResultSet rows = transaction.executeQuery(
                    Statement.of("INSERT INTO t (id, v) VALUES (1, 10), (2, 20) RETURNING v"))) {
                while (rows.next()) {
                    values.add(rows.getLong(0));
                }
            }
            transaction.executeUpdate(
                    Statement.of(
                            "INSERT INTO t (id, v) VALUES (2, 21), (3, 30) ON CONFLICT (id) DO UPDATE SET id = excluded.id, v = excluded.v"));
            transaction.executeUpdate(
                    Statement.of("INSERT INTO t (id, v) VALUES (3, 99), (4, 40) ON CONFLICT (id) DO NOTHING"));
            return values;
        });
        assertThat(returned).containsExactly(10L, 20L);
        assertThat(query(database, Statement.of("SELECT v FROM t ORDER BY id")))
                .extracting(row -> row.getLong(0))
                .containsExactly(10L, 21L, 30L, 40L);
    }

    @Test
    void names_are_folded_and_the_text_of_json_is_stored_as_json() throws Exception {
        DatabaseClient database = database("CREATE TABLE Notes (Id bigint PRIMARY KEY, Body jsonb)");
        long inserted = database.readWriteTransaction()
                .run(transaction -> transaction.executeUpdate(
                        Statement.of("INSERT INTO Notes (Id, Body) VALUES (1, '{\"bb\": 1e2, \"a\": [1]}')")));
        assertThat(inserted).isEqualTo(1);
        assertThat(query(database, Statement.of("SELECT Id, BODY FROM notes")))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.getType().getStructFields())
                            .extracting(Type.StructField::getName)
                            .containsExactly("id", "body");
                    assertThat(row.getPgJsonb("body")).isEqualTo("{\"a\": [1], \"bb\": 100}");
                });
    }
}
