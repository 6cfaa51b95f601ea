package dev.spream.emulator.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Struct;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SqlTranslatorTest {
    private static final Instant NOW = Instant.parse("2024-05-06T07:08:09.000001Z");
    static final SqlSchema SCHEMA = new SqlSchema() {
        @Override
        public boolean isName(String lowerCaseName) {
            return List.of("t", "id", "value", "key").contains(lowerCaseName);
        }

        @Override
        public Optional<List<String>> primaryKey(String table) {
            return Optional.of(List.of("Id"));
        }

        @Override
        public Optional<Type> columnType(String table, String column) {
            return Optional.of(column.equalsIgnoreCase("Json") ? Types.PG_JSONB : Types.INT64);
        }

        @Override
        public boolean isTable(String name) {
            return name.equalsIgnoreCase("Sales.T");
        }

        @Override
        public boolean isSequence(String name) {
            return false;
        }

        @Override
        public List<String> requiredColumns(String table) {
            return List.of();
        }

        @Override
        public boolean isGenerated(String table, String column) {
            return false;
        }

        @Override
        public Optional<String> defaultValue(String table, String column) {
            return Optional.empty();
        }
    };

    private static Translation google(String sql) {
        return translate(sql, DatabaseDialect.GOOGLE_STANDARD_SQL, Map.of("x", Types.INT64));
    }

    private static Translation postgres(String sql) {
        return translate(sql, DatabaseDialect.POSTGRESQL, Map.of("p1", Types.array(Types.STRING)));
    }

    private static Translation translate(String sql, DatabaseDialect dialect, Map<String, Type> types) {
        Struct params = Struct.newBuilder()
                .putFields("x", Values.string("7"))
                .putFields("p1", Values.NULL)
                .build();
        Translation translated = SqlTranslator.translate(sql, dialect, new SqlParameters(params, types), SCHEMA, NOW);
        return new Translation(
                translated.sql().replace(" AS \"?column?\"", ""), // of every column without a name
                translated.binds(),
                translated.table(),
                translated.writtenColumns(),
                translated.returnsRows(),
                translated.types());
    }

    @Test
    void names_of_the_schema_are_quoted_and_keywords_are_not() {
        assertThat(google("SELECT Value, `Key` FROM T WHERE Value IS NULL").sql())
                .isEqualTo("SELECT \"Value\" AS \"Value\" , \"Key\" AS \"Key\" FROM \"T\" WHERE \"Value\" IS NULL");
    }

    @Test
    void a_table_in_a_named_schema_is_one_name_with_its_alias() {
        assertThat(google("SELECT T.Id FROM Sales.T WHERE T.Id = 1").sql())
                .isEqualTo("SELECT \"T\" . \"Id\" AS \"Id\" FROM \"Sales.T\" AS \"T\" WHERE \"T\" . \"Id\" = 1");
        assertThat(google("SELECT t.Id FROM Sales.T AS t").sql())
                .isEqualTo("SELECT \"t\" . \"Id\" AS \"Id\" FROM \"Sales.T\" AS \"t\"");
    }

    @Test
    void parameters_are_numbered_and_typed() {
        Translation translation = google("SELECT @x + @X");
        assertThat(translation.sql()).isEqualTo("SELECT CAST(?1 AS BIGINT) + CAST(?2 AS BIGINT)");
        assertThat(translation.binds()).containsExactly(7L, 7L);
        assertThat(postgres("SELECT 1 WHERE 'a' = ANY($1)").sql())
                .isEqualTo("select 1 where 'a' = any ( COALESCE(CAST(?1 AS VARCHAR ARRAY), ARRAY[]) )");
    }

    @Test
    void a_parameter_without_a_value_is_refused() {
        assertThatThrownBy(() -> google("SELECT @missing"))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessageContaining("missing");
    }

    @Test
    void literals_keep_their_meaning() {
        assertThat(google("SELECT \"it's\", '\\x41\\n', b'\\xff', r'\\d', 0x10, 1.5")
                        .sql())
                .isEqualTo("SELECT 'it''s' , 'A\n' , X'ff' , '\\d' , 16 , CAST(1.5 AS DOUBLE PRECISION)");
        assertThat(google("SELECT TIMESTAMP '2024-01-01T00:00:00.000000001Z'").sql())
                .isEqualTo("SELECT TIMESTAMP WITH TIME ZONE '2024-01-01T00:00:00.000000001+00'");
        assertThat(google("SELECT TIMESTAMP '2024-01-01 00:00:00'").sql())
                .isEqualTo("SELECT TIMESTAMP WITH TIME ZONE '2024-01-01T08:00:00+00'");
        assertThat(postgres("SELECT 'it''s', 1.5").sql()).isEqualTo("select 'it''s' , 1.5");
    }

    @Test
    void membership_in_an_array_becomes_a_quantified_comparison() {
        assertThat(google("SELECT Id FROM T WHERE Id IN UNNEST([1, 2]) AND Id NOT IN UNNEST([3])")
                        .sql())
                .endsWith(
                        "\"Id\" = ANY ( COALESCE(ARRAY [ 1 , 2 ], ARRAY[]) ) AND \"Id\" <> ALL ( COALESCE(ARRAY [ 3 ], ARRAY[]) )");
    }

    @Test
    void the_current_timestamp_is_the_emulators() {
        String now = "CAST(?1 AS TIMESTAMP(9) WITH TIME ZONE)"; // a parameter, so that the text has one plan
        assertThat(google("SELECT CURRENT_TIMESTAMP()").sql()).isEqualTo("SELECT " + now);
        Translation twice = postgres("SELECT now(), current_timestamp");
        assertThat(twice.sql()).isEqualTo("select " + now + " AS \"now\" , " + now + " AS \"current_timestamp\"");
        assertThat(twice.binds()).containsExactly(NOW.atOffset(ZoneOffset.UTC));
    }

    @Test
    void a_function_of_the_engine_alone_does_not_exist() {
        assertThatThrownBy(() -> google("SELECT 1,\n  NVL(1, 2)"))
                .hasMessage("INVALID_ARGUMENT: Function not found: NVL [at 2:3]");
        assertThatThrownBy(() -> google("SELECT `SPANNER_NOW`()"))
                .hasMessageContaining("Function not found: SPANNER_NOW");
        assertThatThrownBy(() -> google("SELECT ROWNUM")).hasMessageContaining("Unrecognized name: ROWNUM [at 1:8]");
        assertThatThrownBy(() -> postgres("SELECT \"nvl\"(1, 2)"))
                .hasMessage("NOT_FOUND: [ERROR] function nvl(...) does not exist");
    }

    @Test
    void a_function_that_the_emulator_lacks_is_refused_by_name() {
        assertThatThrownBy(() -> google("SELECT JSON_VALUE(J, '$.a') FROM T"))
                .hasMessage("UNIMPLEMENTED: The emulator does not support the function JSON_VALUE");
        assertThatThrownBy(() -> google("SELECT SAFE.ABS(1)")).hasMessageContaining("function SAFE.ABS");
        assertThatThrownBy(() -> postgres("SELECT spanner.farm_fingerprint('a')"))
                .hasMessageContaining("function spanner.farm_fingerprint");
    }

    @Test
    void hints_and_comments_are_dropped() {
        assertThat(google("@{A=1} SELECT /* one */ 1 -- end\n FROM T@{FORCE_INDEX=I} # more")
                        .sql())
                .isEqualTo("SELECT 1 FROM \"T\"");
    }

    @Test
    void columns_of_the_information_schema_are_named_as_the_query_names_them() {
        assertThat(google("SELECT t.table_name, COLUMN_NAME FROM information_schema.columns AS t")
                        .sql())
                .isEqualTo("SELECT \"t\" . table_name AS \"table_name\" , COLUMN_NAME AS \"COLUMN_NAME\""
                        + " FROM \"SPANNER_INFORMATION_SCHEMA\" . columns AS \"t\"");
    }

    @Test
    void dml_names_its_table_and_the_columns_it_writes() {
        Translation update = google("UPDATE T SET Value = (SELECT MAX(Id), 1), Key = 2 WHERE Id = 1, 2");
        assertThat(update.table()).isEqualTo("T");
        assertThat(update.writtenColumns()).containsExactlyInAnyOrder("Value", "Key");
        Translation insert = google("INSERT T (Id, Value) VALUES (1, 2)");
        assertThat(insert.sql()).isEqualTo("INSERT INTO \"T\" ( \"Id\", \"Value\" ) VALUES ( 1 , 2 )");
        assertThat(insert.writtenColumns()).containsExactlyInAnyOrder("Id", "Value");
        assertThat(google("DELETE T WHERE TRUE").sql()).isEqualTo("DELETE FROM \"T\" WHERE TRUE");
    }

    @Test
    void a_returning_clause_reads_the_changed_rows() {
        Translation update = google("UPDATE T SET Value = 1 WHERE Id = 1 THEN RETURN Id");
        assertThat(update.returnsRows()).isTrue();
        assertThat(update.sql())
                .isEqualTo(
                        "SELECT \"Id\" AS \"Id\" FROM FINAL TABLE ( UPDATE \"T\" SET \"Value\" = 1 WHERE \"Id\" = 1 )");
    }

    @Test
    void googlesql_refuses_a_literal_of_another_type() {
        assertThatThrownBy(() -> google("INSERT INTO T (Id, Value) VALUES (1, 2), ('3', 4)"))
                .hasMessageContaining("Value of type STRING cannot be assigned to Id, which has type INT64");
        assertThatThrownBy(() -> google("UPDATE T SET Value = 'x' WHERE Id = 1"))
                .hasMessageContaining("Value of type STRING cannot be assigned to Value, which has type INT64");
        assertThat(google("UPDATE T SET Value = CAST('1' AS INT64) WHERE Id = 1")
                        .sql())
                .contains("CAST( SPANNER_INT64('1') AS BIGINT )");
    }

    @Test
    void googlesql_demands_a_condition() {
        assertThatThrownBy(() -> google("UPDATE T SET Value = 1"))
                .hasMessageContaining("UPDATE must have a WHERE clause");
        assertThatThrownBy(() -> google("DELETE FROM T")).hasMessageContaining("DELETE must have a WHERE clause");
        assertThat(postgres("DELETE FROM t").sql()).isEqualTo("DELETE FROM \"t\"");
    }

    @Test
    void postgresql_folds_names_and_parses_the_text_of_json() {
        assertThat(postgres("INSERT INTO T (Id, \"Json\") VALUES (1, '{}')").sql())
                .isEqualTo("INSERT INTO \"t\" ( \"id\", \"Json\" ) VALUES ( 1 , SPANNER_JSONB('{}') )");
        assertThat(postgres("SELECT '{}'::jsonb").sql()).isEqualTo("select SPANNER_JSONB('{}') AS \"jsonb\"");
    }
}
