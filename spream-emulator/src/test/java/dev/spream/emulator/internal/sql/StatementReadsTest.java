package dev.spream.emulator.internal.sql;

import static com.google.spanner.admin.database.v1.DatabaseDialect.GOOGLE_STANDARD_SQL;
import static com.google.spanner.admin.database.v1.DatabaseDialect.POSTGRESQL;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementReadsTest {
    private static StatementReads where(String condition) {
        return StatementReads.of(
                "SELECT SUM(V) FROM Sales.T WHERE " + condition,
                GOOGLE_STANDARD_SQL,
                SqlParameters.NONE,
                SqlTranslatorTest.SCHEMA);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Id = 1", "V > 2 AND Id = 1 AND V < 9", "(V = 1 AND V = 2) AND Id = 1", "Id = 1 GROUP BY V"})
    void a_conjunction_demands_the_value_of_a_column(String condition) {
        assertThat(where(condition).values("Id", Types.INT64)).contains(List.of(Values.string("1")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Id IN (1, 2)", "V = 3 AND T.Id IN (1, 2)", "Id IN UNNEST([1, 2])", "Id IN UNNEST(ARRAY[1, 2])"})
    void a_list_demands_one_of_its_values(String condition) {
        assertThat(where(condition).values("Id", Types.INT64))
                .contains(List.of(Values.string("1"), Values.string("2")));
    }

    @Test
    void an_array_in_a_parameter_demands_one_of_its_values() {
        assertThat(withParameter("SELECT V FROM Sales.T WHERE Id IN UNNEST(@p1)", GOOGLE_STANDARD_SQL)
                        .values("Id", Types.INT64))
                .contains(List.of(Values.string("1"), Values.string("2")));
        assertThat(withParameter("SELECT v FROM \"Sales\".\"T\" WHERE id = ANY ($1)", POSTGRESQL)
                        .values("id", Types.INT64))
                .contains(List.of(Values.string("1"), Values.string("2")));
    }

    @Test
    void an_array_in_postgresql_demands_one_of_its_values() {
        assertThat(withParameter("SELECT v FROM \"Sales\".\"T\" WHERE id = ANY (Array['1','2'])", POSTGRESQL)
                        .values("id", Types.STRING))
                .contains(List.of(Values.string("1"), Values.string("2")));
    }

    private static StatementReads withParameter(String sql, DatabaseDialect dialect) {
        Value array = Value.newBuilder()
                .setListValue(
                        ListValue.newBuilder().addValues(Values.string("1")).addValues(Values.string("2")))
                .build();
        SqlParameters parameters =
                new SqlParameters(Struct.newBuilder().putFields("p1", array).build(), Map.of());
        return StatementReads.of(sql, dialect, parameters, SqlTranslatorTest.SCHEMA);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOT (V = 1 AND Id = 1 AND V = 1)",
                "(V = 1 AND Id = 1 AND V = 1) IS NOT TRUE",
                "IF(V = 1 AND Id = 1 AND V = 1, FALSE, TRUE)",
                "[V = 1 AND Id = 1 AND V = 1][OFFSET(0)] = FALSE",
                "V = 1 OR Id = 1",
                "NOT Id = 1",
                "Id = 1 IS NOT TRUE",
                "Id NOT IN (1, 2)",
                "Id IN (1, 2) = FALSE",
                "(Id IN (1)) IN (FALSE)",
                "Id IN (1, V)",
                "Id IN (1 + 2)",
                "V IN UNNEST([Id, 1]) AND V = 1",
                "Id = ANY_VALUE (1)"
            })
    void other_conditions_demand_none(String condition) {
        assertThat(where(condition).demands()).doesNotContainKey("id");
    }

    @Test
    void a_condition_in_parentheses_ends_after_them() {
        assertThat(where("(V = 1 AND V = 2) LIMIT 1").demands()).isEmpty();
    }

    @Test
    void a_parameter_of_another_type_demands_none() {
        Struct values = Struct.newBuilder()
                .putFields("v", Value.newBuilder().setNumberValue(0.1).build())
                .putFields(
                        "vs",
                        Values.list(
                                List.of(Value.newBuilder().setNumberValue(0.1).build())))
                .build();
        SqlParameters floats = new SqlParameters(values, Map.of("v", Types.FLOAT32, "vs", Types.array(Types.FLOAT32)));
        for (String condition : List.of("Id = @v", "Id IN (@v)", "Id IN UNNEST(@vs)")) {
            StatementReads reads = StatementReads.of(
                    "SELECT V FROM Sales.T WHERE " + condition, GOOGLE_STANDARD_SQL, floats, SqlTranslatorTest.SCHEMA);
            assertThat(reads.values("Id", Types.FLOAT64)).isEmpty();
            assertThat(reads.values("Id", Types.FLOAT32)).isPresent();
        }
    }
}
