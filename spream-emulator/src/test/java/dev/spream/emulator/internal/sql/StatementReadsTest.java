package dev.spream.emulator.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementReadsTest {
    private static StatementReads where(String condition) {
        return StatementReads.of(
                "SELECT SUM(V) FROM Sales.T WHERE " + condition,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                SqlParameters.NONE,
                SqlTranslatorTest.SCHEMA);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"Id = 1", "V > 2 AND Id = 1 AND V < 9", "(V = 1 AND V = 2) AND Id = 1", "Id = 1 GROUP BY V"})
    void a_conjunction_demands_the_value_of_a_column(String condition) {
        assertThat(where(condition).equal("Id", Types.INT64)).contains(Values.string("1"));
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
                "Id = 1 IS NOT TRUE"
            })
    void other_conditions_demand_none(String condition) {
        assertThat(where(condition).equalities()).doesNotContainKey("id");
    }

    @Test
    void a_condition_in_parentheses_ends_after_them() {
        assertThat(where("(V = 1 AND V = 2) LIMIT 1").equalities()).isEmpty();
    }
}
