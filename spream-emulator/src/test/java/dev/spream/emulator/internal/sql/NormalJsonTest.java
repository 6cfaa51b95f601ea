package dev.spream.emulator.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NormalJsonTest {
    @Test
    void members_are_ordered_and_each_is_kept_once() {
        String text = "{\"bb\": 1, \"c\": [true, null, {}], \"bb\": 2, \"a\": \"\\u00fc\\n<\"}";
        assertThat(NormalJson.of(text, false)).isEqualTo("{\"a\":\"ü\\n<\",\"bb\":1,\"c\":[true,null,{}]}");
        assertThat(NormalJson.of(text, true)).isEqualTo("{\"a\": \"ü\\n<\", \"c\": [true, null, {}], \"bb\": 2}");
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 1",
        "-1, -1, -1",
        "1e3, 1000.0, 1000",
        "2.0, 2.0, 2.0",
        "1.50, 1.5, 1.50",
        "1e20, 1e+20, 100000000000000000000",
        "0.00001, 1e-05, 0.00001",
        "18446744073709551615, 18446744073709551615, 18446744073709551615",
        "-9223372036854775808, -9223372036854775808, -9223372036854775808",
        "123456789012345678901, 1.2345678901234568e+20, 123456789012345678901"
    })
    void numbers_have_one_form(String text, String google, String postgres) {
        assertThat(NormalJson.of(text, false)).isEqualTo(google);
        assertThat(NormalJson.of(text, true)).isEqualTo(postgres);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "{\"a\":}", "[1,]", "1 2", "'a'", "NaN", "{a: 1}"})
    void text_that_is_no_json_is_refused(String text) {
        assertThatThrownBy(() -> NormalJson.of(text, false)).hasMessageContaining("Invalid JSON");
    }
}
