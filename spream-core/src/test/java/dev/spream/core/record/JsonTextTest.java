package dev.spream.core.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "}",
                "[",
                "]",
                "{]",
                "[}",
                "nul",
                "nulll",
                "True",
                "NaN",
                "Infinity",
                "undefined",
                "'a'",
                "\"",
                "\"a",
                "\"\\",
                "\"\\x\"",
                "\"\\u12\"",
                "\"\\u12g4\"",
                "\"\\u１２３４\"",
                "\"\n\"",
                "\"a\u0000\"",
                "01",
                "-",
                "-a",
                "+1",
                ".5",
                "1.",
                "1.e3",
                "1e",
                "1e+",
                "0x10",
                "1 2",
                "--1",
                "１",
                "[1,]",
                "[,1]",
                "[1 2]",
                "[1,,2]",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{,}",
                "{a:1}",
                "{1:1}",
                "{\"a\" 1}",
                "{\"a\":1 \"b\":2}",
                "{null:1}",
                "// comment\n1",
                "1 // comment",
                "/* c */ 1",
                "\u00a01",
                "\ufeff{}",
                "1e99999999999"
            })
    void malformed_text_is_refused(String text) {
        assertThatThrownBy(() -> JsonText.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_message_has_the_place_and_not_the_text() {
        assertThatThrownBy(() -> JsonText.parse("{\"secret\": oops}"))
                .hasMessage("malformed JSON: expected a value at character 11 of 16");
    }

    @Test
    void every_kind_of_value_is_read() {
        assertThat(JsonText.parse(" null ")).isNull();
        assertThat(JsonText.parse("true")).isEqualTo(true);
        assertThat(JsonText.parse("\tfalse\r\n")).isEqualTo(false);
        assertThat(JsonText.parse("-0.5e-3")).isEqualTo(new BigDecimal("-0.5e-3"));
        assertThat(JsonText.parse("12345678901234567890.123456789"))
                .isEqualTo(new BigDecimal("12345678901234567890.123456789"));
        assertThat(JsonText.parse("[ ]")).isEqualTo(List.of());
        assertThat(JsonText.parse("{ }")).isEqualTo(Map.of());
        assertThat(JsonText.parse("[null,{\"a\":[1]}]"))
                .isEqualTo(Arrays.<@Nullable Object>asList(null, Map.of("a", List.of(BigDecimal.ONE))));
    }

    @Test
    void strings_are_unescaped() {
        assertThat(JsonText.parse("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e4\\uD83D\\uDE00\""))
                .isEqualTo("\"\\/\b\f\n\r\tä😀");
        assertThat(JsonText.parse("\"plain \\u0000 ☃ \ud83d\"")).isEqualTo("plain \u0000 ☃ \ud83d");
    }

    @Test
    void strings_are_escaped_so_that_they_stay_on_one_line_and_encode() {
        StringBuilder out = new StringBuilder();
        JsonText.append(out, "\"\\\n\r\t\u0001 ä☃😀 \ud83d");
        assertThat(out).hasToString("\"\\\"\\\\\\n\\r\\t\\u0001 ä☃😀 \\ud83d\"");
    }

    @Test
    void members_keep_their_order_and_the_last_of_a_name_counts() {
        assertThat(JsonObject.of("{\"b\":1,\"a\":2,\"b\":3}").members().keySet())
                .containsExactly("b", "a");
        assertThat(JsonObject.of("{\"b\":1,\"a\":2,\"b\":3}").int64("b")).hasValue(3);
    }

    @Test
    void text_may_nest_deeply_but_not_without_end() {
        assertThat(JsonText.parse("[".repeat(200) + "]".repeat(200))).isInstanceOf(List.class);
        for (String opening : List.of("[", "{\"a\":")) {
            assertThatThrownBy(() -> JsonText.parse(opening.repeat(100_000)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most 200 levels");
        }
        assertThat(JsonText.parse("[" + "[],".repeat(300) + "[]]")).isInstanceOf(List.class);
    }

    @Test
    void a_value_that_is_no_json_is_not_written() {
        assertThatThrownBy(() -> JsonObject.of(Map.of("a", new Object()))).isInstanceOf(IllegalArgumentException.class);
        for (Number number : List.of(Double.NaN, Double.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY)) {
            assertThatThrownBy(() -> JsonObject.of(Map.of("a", number)))
                    .as("%s", number)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void objects_are_equal_when_their_members_are() {
        JsonObject written = JsonObject.of("{\"a\" : \"\\u00e4\", \"b\":[1]}");
        assertThat(written).isEqualTo(JsonObject.of("{\"b\":[1],\"a\":\"ä\"}"));
        assertThat(written).hasSameHashCodeAs(JsonObject.of("{\"b\":[1],\"a\":\"ä\"}"));
        assertThat(written).isNotEqualTo(JsonObject.of("{\"a\":\"ä\",\"b\":[2]}"));
        assertThat(JsonObject.of("{}")).isEqualTo(JsonObject.EMPTY);
    }

    @Test
    void a_member_of_another_type_is_refused_by_name() {
        JsonObject object = JsonObject.of("{\"list\":[],\"object\":{},\"text\":\"x\",\"nothing\":null,\"number\":1.5}");
        assertThatThrownBy(() -> object.string("list"))
                .hasMessage("member list: a string was expected, found " + name(object, "list"));
        assertThatThrownBy(() -> object.int64("object")).hasMessageContaining("member object: an INT64 was expected");
        assertThatThrownBy(() -> object.object("text")).hasMessageContaining("member text: an object was expected");
        assertThatThrownBy(() -> object.int64("number")).isInstanceOf(IllegalArgumentException.class);
        assertThat(object.string("nothing")).isEmpty();
        assertThat(object.int64("absent")).isEmpty();
        assertThat(object.has("nothing")).isTrue();
        assertThat(object.has("absent")).isFalse();
        assertThat(object.string("number")).contains("1.5");
        assertThatThrownBy(() -> object.members().put("x", null)).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_number_with_a_huge_exponent_is_not_written_out() {
        assertThat(JsonObject.of("{\"a\":1e999999999}").string("a")).contains("1e999999999");
        assertThat(JsonObject.of("{\"a\":1e3}").string("a")).contains("1000");
    }

    private static String name(JsonObject object, String member) {
        Object value = object.get(member);
        return value == null ? "null" : value.getClass().getSimpleName();
    }

    @Test
    void a_member_is_cut_out_as_it_is_written_the_last_one_of_a_name() {
        String object = " { \"a\" : [1, {\"b\":\"}\\\"\"}] , \"\\u0062\":1e22 ,\"a\": { } }";
        assertThat(Json.member(object, "a")).contains("{ }");
        assertThat(Json.member(object, "b")).contains("1e22");
        assertThat(Json.member(object, "c")).isEmpty();
        assertThat(Json.member("{}", "a")).isEmpty();
        for (String wrong : List.of("", "[1]", "{\"a\":}", "{\"a\":1", "{\"a\" 1}")) {
            assertThatThrownBy(() -> Json.member(wrong, "a")).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
