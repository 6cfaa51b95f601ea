package dev.spream.storage.jdbc.mirror;

import static dev.spream.storage.jdbc.mirror.MirrorBatch.batch;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.TypeCode;
import dev.spream.storage.jdbc.TestDatabase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every type of both dialects, with values at its edges, as it arrives in tables of our own making and in others. */
final class ColumnTypesIT {
    private static final TestDatabase database = new TestDatabase();

    private static long second;

    private final MirrorRows rows = new MirrorRows(database);
    private final JdbcMirror mirror = JdbcMirror.builder(database.dataSource(), "types")
            .createTables(true)
            .build();

    @BeforeAll
    static void createTypes() {
        database.execute(
                "SET search_path = public",
                "CREATE TYPE mood AS ENUM ('glad')",
                "CREATE DOMAIN short AS text CHECK (length(value) < 3)");
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @AfterEach
    void dropTheTable() {
        database.execute("DROP TABLE IF EXISTS public.\"Typed\"");
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"code":"BOOL"}                                        | true                          | boolean                  | true
            {"code":"BOOL"}                                        | false                         | boolean                  | false
            {"code":"INT64"}                                       | "9223372036854775807"         | bigint                   | 9223372036854775807
            {"code":"INT64"}                                       | "-9223372036854775808"        | bigint                   | -9223372036854775808
            {"code":"INT64"}                                       | 7                             | bigint                   | 7
            {"code":"INT64","type_annotation":"PG_OID"}            | "4294967295"                  | oid                      | 4294967295
            {"code":"ENUM","proto_type_fqn":"a.Kind"}              | "3"                           | bigint                   | 3
            {"code":"FLOAT64"}                                     | 1.7976931348623157E308        | double precision         | 1.7976931348623157e+308
            {"code":"FLOAT64"}                                     | 4.9E-324                      | double precision         | 5e-324
            {"code":"FLOAT64"}                                     | 0.1                           | double precision         | 0.1
            {"code":"FLOAT64"}                                     | "NaN"                         | double precision         | NaN
            {"code":"FLOAT64"}                                     | "Infinity"                    | double precision         | Infinity
            {"code":"FLOAT64"}                                     | "-Infinity"                   | double precision         | -Infinity
            {"code":"FLOAT32"}                                     | 3.4028234663852886E38         | real                     | 3.4028235e+38
            {"code":"FLOAT32"}                                     | 0.10000000149011612           | real                     | 0.1
            {"code":"FLOAT32"}                                     | "NaN"                         | real                     | NaN
            {"code":"NUMERIC"}                                     | "-99999999999999999999999999999.999999999" | numeric     | -99999999999999999999999999999.999999999
            {"code":"NUMERIC","type_annotation":"PG_NUMERIC"}      | "123456789012345678901234567890.000000000000000000000000000001" | numeric | 123456789012345678901234567890.000000000000000000000000000001
            {"code":"NUMERIC","type_annotation":"PG_NUMERIC"}      | "NaN"                         | numeric                  | NaN
            {"code":"STRING"}                                      | ""                            | text                     | ``
            {"code":"STRING"}                                      | "NULL"                        | text                     | NULL
            {"code":"STRING"}                                      | "a\\"b\\\\c{d},é😀'\\n"       | text                     | `a"b\\c{d},é😀'\n`
            {"code":"BYTES"}                                       | "AP8Qgg=="                    | bytea                    | \\x00ff1082
            {"code":"BYTES"}                                       | ""                            | bytea                    | \\x
            {"code":"PROTO","proto_type_fqn":"a.Message"}          | "CAE="                        | bytea                    | \\x0801
            {"code":"DATE"}                                        | "0001-01-01"                  | date                     | 0001-01-01
            {"code":"DATE"}                                        | "9999-12-31"                  | date                     | 9999-12-31
            {"code":"TIMESTAMP"}                                   | "2026-01-01T10:00:00Z"        | timestamp with time zone | 2026-01-01 10:00:00+00
            {"code":"TIMESTAMP"}                                   | "2026-01-01T10:00:00.123456Z" | timestamp with time zone | 2026-01-01 10:00:00.123456+00
            {"code":"TIMESTAMP"}                                   | "9999-12-31T23:59:59.999999999Z" | timestamp with time zone | 9999-12-31 23:59:59.999999+00
            {"code":"TIMESTAMP"}                                   | "2026-01-01T10:00:00.123456789+00:00" | timestamp with time zone | 2026-01-01 10:00:00.123456+00
            {"code":"TIMESTAMP"}                                   | "0001-01-01T00:00:00.000000001Z" | timestamp with time zone | 0001-01-01 00:00:00+00
            {"code":"TIMESTAMP"}                                   | "1969-12-31T23:59:59.1234569Z" | timestamp with time zone | 1969-12-31 23:59:59.123456+00
            {"code":"JSON"}                                        | "{\\"b\\":[1,null],\\"a\\":\\"x\\"}" | jsonb             | {"a": "x", "b": [1, null]}
            {"code":"JSON"}                                        | "null"                        | jsonb                    | null
            {"code":"JSON"}                                        | {"a":1}                       | jsonb                    | {"a": 1}
            {"code":"JSON","type_annotation":"PG_JSONB"}           | "{\\"a\\": 1.50}"             | jsonb                    | {"a": 1.50}
            {"code":"UUID"}                                        | "1b4e28ba-2fa1-11d2-883f-0016d3cca427" | uuid            | 1b4e28ba-2fa1-11d2-883f-0016d3cca427
            {"code":"INTERVAL"}                                    | "P1Y2M3DT4H5M6.789012345S"    | text                     | P1Y2M3DT4H5M6.789012345S
            {"code":"SOMETHING_NEW"}                               | "as it came"                  | text                     | as it came
            {"code":"SOMETHING_NEW"}                               | {"a":[1]}                     | text                     | {"a":[1]}
            {"code":"ARRAY","array_element_type":{"code":"INT64"}} | ["1",null,"-2"]               | bigint[]                 | {1,NULL,-2}
            {"code":"ARRAY","array_element_type":{"code":"INT64"}} | []                            | bigint[]                 | {}
            {"code":"ARRAY","array_element_type":{"code":"BOOL"}}  | [true,null,false]             | boolean[]                | {t,NULL,f}
            {"code":"ARRAY","array_element_type":{"code":"FLOAT64"}} | [1.5,"NaN",null]            | double precision[]       | {1.5,NaN,NULL}
            {"code":"ARRAY","array_element_type":{"code":"FLOAT32"}} | [1.5,"Infinity"]            | real[]                   | {1.5,Infinity}
            {"code":"ARRAY","array_element_type":{"code":"NUMERIC"}} | ["1.000000001",null]        | numeric[]                | {1.000000001,NULL}
            {"code":"ARRAY","array_element_type":{"code":"STRING"}} | ["NULL",null,"","a\\"b\\\\c,{}"] | text[]              | {"NULL",NULL,"","a\\"b\\\\c,{}"}
            {"code":"ARRAY","array_element_type":{"code":"BYTES"}} | ["AP8=",null,""]              | bytea[]                  | {"\\\\x00ff",NULL,"\\\\x"}
            {"code":"ARRAY","array_element_type":{"code":"DATE"}}  | ["2026-02-03",null]           | date[]                   | {2026-02-03,NULL}
            {"code":"ARRAY","array_element_type":{"code":"TIMESTAMP"}} | ["2026-01-01T10:00:00.000000999Z",null] | timestamp with time zone[] | {"2026-01-01 10:00:00+00",NULL}
            {"code":"ARRAY","array_element_type":{"code":"JSON"}}  | ["{\\"a\\":\\"b\\"}",null,"[]"] | jsonb[]                | {"{\\"a\\": \\"b\\"}",NULL,[]}
            {"code":"ARRAY","array_element_type":{"code":"UUID"}}  | ["1b4e28ba-2fa1-11d2-883f-0016d3cca427"] | uuid[]        | {1b4e28ba-2fa1-11d2-883f-0016d3cca427}
            {"code":"ARRAY","array_element_type":{"code":"ENUM","proto_type_fqn":"a.Kind"}} | ["3",null] | bigint[]           | {3,NULL}
            {"code":"ARRAY","array_element_type":{"code":"PROTO","proto_type_fqn":"a.M"}} | ["CAE="] | bytea[]                | {"\\\\x0801"}
            {"code":"ARRAY","array_element_type":{"code":"SOMETHING_NEW"}} | ["a",null,{"b":1}]    | jsonb                    | ["a", null, {"b": 1}]
            """)
    void a_value_arrives_in_a_table_of_our_own_making(String type, String json, String column, String stored)
            throws Exception {
        MirrorChanges table =
                MirrorChanges.of("Typed").key("Id", TypeCode.INT64).column("V", type);

        mirror.consume(batch(
                table.insert(++second, "{\"Id\":\"1\"}", "{\"V\":" + json + "}"),
                table.insert(++second, "{\"Id\":\"2\"}", "{\"V\":null}")));

        assertThat(
                        rows.texts(
                                "SELECT format_type(atttypid, -1) FROM pg_attribute WHERE attrelid = 'public.\"Typed\"'::regclass AND attname = 'V'"))
                .containsExactly(column);
        assertThat(rows.texts("SELECT \"V\"::text FROM \"Typed\" WHERE \"Id\" = 1"))
                .containsExactly(stored.replace("\\n", "\n"));
        assertThat(rows.texts("SELECT \"Id\" FROM \"Typed\" WHERE \"V\" IS NULL"))
                .containsExactly("2");
    }

    @ParameterizedTest(name = "{0} in {2}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {"code":"TIMESTAMP"} | "2026-01-01T10:00:00.123456789Z" | text        | 2026-01-01T10:00:00.123456789Z
            {"code":"TIMESTAMP"} | "2026-01-01T10:00:00.123456789Z" | timestamp   | 2026-01-01 10:00:00.123456
            {"code":"BYTES"}     | "AP8="                           | text        | AP8=
            {"code":"JSON"}      | "{\\"b\\": 1,  \\"a\\":2}"       | json        | {"b": 1,  "a":2}
            {"code":"JSON"}      | "{\\"b\\": 1}"                   | text        | {"b": 1}
            {"code":"STRING"}    | "a\\"b"                          | jsonb       | "a\\"b"
            {"code":"STRING"}    | "abc"                            | varchar(3)  | abc
            {"code":"STRING"}    | "glad"                           | mood        | glad
            {"code":"STRING"}    | "x"                              | short       | x
            {"code":"INT64"}     | "12"                             | smallint    | 12
            {"code":"INT64"}     | "12"                             | text        | 12
            {"code":"NUMERIC"}   | "1.25"                           | numeric(5,2) | 1.25
            {"code":"INTERVAL"}  | "P1Y2M3DT4H5M6.5S"               | interval    | 1 year 2 mons 3 days 04:05:06.5
            {"code":"ARRAY","array_element_type":{"code":"INT64"}}  | ["1",null] | jsonb | ["1", null]
            {"code":"ARRAY","array_element_type":{"code":"INT64"}}  | ["1",null] | text  | ["1",null]
            {"code":"ARRAY","array_element_type":{"code":"STRING"}} | ["glad"]   | mood[] | {glad}
            """)
    void a_value_arrives_in_a_table_of_other_types(String type, String json, String column, String stored)
            throws Exception {
        database.execute(
                "SET search_path = public",
                "CREATE TABLE \"Typed\" (\"Id\" text PRIMARY KEY, \"V\" %s)".formatted(column));
        MirrorChanges table =
                MirrorChanges.of("Typed").key("Id", TypeCode.INT64).column("V", type);
        DataChangeRecord change = table.insert(++second, "{\"Id\":\"1\"}", "{\"V\":" + json + "}");

        mirror.consume(batch(change));

        assertThat(rows.texts("SELECT \"V\"::text FROM \"Typed\"")).containsExactly(stored);
    }

    @Test
    void keys_of_every_type_tell_rows_apart() throws Exception {
        MirrorChanges table = MirrorChanges.of("Keyed")
                .key("I", TypeCode.INT64)
                .key("S", TypeCode.STRING)
                .key("B", TypeCode.BYTES)
                .key("D", TypeCode.DATE)
                .key("T", TypeCode.TIMESTAMP)
                .key("F", TypeCode.FLOAT64)
                .key("N", TypeCode.NUMERIC)
                .key("L", TypeCode.BOOL)
                .key("U", TypeCode.UUID)
                .column("V", TypeCode.INT64);
        String key =
                "{\"I\":\"1\",\"S\":\"%s\",\"B\":\"AP8=\",\"D\":\"2026-01-01\",\"T\":\"2026-01-01T00:00:00.000001Z\",\"F\":\"NaN\",\"N\":\"1.5\",\"L\":true,\"U\":\"1b4e28ba-2fa1-11d2-883f-0016d3cca427\"}";

        mirror.consume(batch(
                table.insert(++second, key.formatted("a"), "{\"V\":\"1\"}"),
                table.insert(++second, key.formatted("b"), "{\"V\":\"2\"}")));
        mirror.consume(batch(
                table.update(++second, key.formatted("a"), "{\"V\":\"3\"}"),
                table.delete(++second, key.formatted("b"))));

        assertThat(rows.texts("SELECT \"S\" || \"V\" FROM \"Keyed\"")).containsExactly("a3");
    }
}
