package dev.spream.examples.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
    @Test
    void members_are_sorted_and_blanks_go() {
        assertThat(canonical("{ \"b\" : [ 1, true, null, \"x\" ], \"a\" : {\"d\": 1, \"c\": 2} }"))
                .isEqualTo("{\"a\":{\"c\":2,\"d\":1},\"b\":[1,true,null,\"x\"]}");
    }

    @ParameterizedTest
    @CsvSource({"1, 1.0", "100, 1e2", "0, -0.0", "1.5, 1.50", "1e-7, 0.0000001", "1e400, 10e399"})
    void numbers_of_one_value_are_written_the_same(String number, String again) {
        assertThat(canonical(number)).isEqualTo(canonical(again));
    }

    @Test
    void a_number_with_a_large_exponent_stays_short() {
        assertThat(canonical("1e9999")).hasSizeLessThan(10);
        assertThat(canonical("1e2147483647")).hasSizeLessThan(20);
    }

    @ParameterizedTest
    @CsvSource({"1, 2", "1, '\"1\"'", "'[1,2]', '[2,1]'", "null, false", "0.1, 0.10000000000000001"})
    void values_that_differ_are_written_differently(String value, String other) {
        assertThat(canonical(value)).isNotEqualTo(canonical(other));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{", "{\"a\":1,}", "[1 2]", "{a:1}", "'a'", "NaN", "01", "1 1", "{\"a\":1,\"a\":1}", "tru"})
    void invalid_json_is_refused(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_text_of_a_thousand_brackets_is_refused_and_breaks_nothing() {
        assertThatThrownBy(() -> Json.parse("[".repeat(60_000))).isInstanceOf(IllegalArgumentException.class);
    }

    private static String canonical(String text) {
        return Json.canonical(Json.parse(text));
    }
}
