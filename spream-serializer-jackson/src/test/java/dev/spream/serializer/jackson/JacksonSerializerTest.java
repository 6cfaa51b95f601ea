package dev.spream.serializer.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.serialization.SerializationException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JacksonSerializerTest {
    private static final JacksonSerializer SERIALIZER = JacksonSerializer.create();
    private static final Order ORDER = new Order(
            9_007_199_254_740_993L,
            new BigDecimal("1.50"),
            Instant.parse("2026-03-01T10:15:30.123456789Z"),
            LocalDate.of(2026, 3, 1),
            Optional.of("fast"),
            Status.PAID,
            List.of(new Line("pen", 2)));

    private enum Status {
        PAID
    }

    private record Order(
            long number,
            BigDecimal total,
            Instant paidAt,
            LocalDate dueOn,
            Optional<String> delivery,
            Status status,
            List<Line> lines) {}

    private record Line(String article, int count) {}

    private record Stock(Map<String, Line> byShelf) {}

    private record Note(@Nullable String text) {}

    private record Loop(List<Object> members) {}

    @Test
    void a_record_is_read_as_it_was_written() {
        String json = SERIALIZER.write(ORDER);
        assertThat(json).contains("\"paidAt\":\"2026-03-01T10:15:30.123456789Z\"", "\"dueOn\":\"2026-03-01\"");
        assertThat(SERIALIZER.read(json, Order.class)).isEqualTo(ORDER);
    }

    @Test
    void an_unknown_member_is_ignored_and_a_missing_one_is_null() {
        assertThat(SERIALIZER.read("{\"author\": \"ann\"}", Note.class)).isEqualTo(new Note(null));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"article\": \"secret\", \"count\": \"2\"}",
                "{\"article\": \"secret\", \"count\": 1.5}",
                "{\"article\": \"secret\", \"count\": \"secret\"}",
                "{\"article\": \"secret\", \"count\": null}",
                "{\"article\": \"secret\"}",
                "{\"article\": 5, \"count\": 1}",
                "{\"article\": 1.5, \"count\": 1}",
                "{\"article\": true, \"count\": 1}",
                "{\"article\": \"secret\", \"count\": 1} secret",
                "[\"secret\"]",
                "secret",
                "null",
                ""
            })
    void text_that_is_no_value_of_the_class_is_refused_without_a_word_of_it(String json) {
        assertThatThrownBy(() -> SERIALIZER.read(json, Line.class))
                .isInstanceOf(SerializationException.class)
                .hasNoCause()
                .hasMessageContaining(Line.class.getName())
                .hasMessageNotContaining("secret");
    }

    @Test
    void a_number_is_no_constant_of_an_enum() {
        assertThatThrownBy(() -> SERIALIZER.read("0", Status.class)).isInstanceOf(SerializationException.class);
    }

    @Test
    void the_message_has_the_place_but_no_key_of_a_map() {
        assertThatThrownBy(() -> SERIALIZER.read(
                        "{\"byShelf\": {\"secret\": {\"article\": \"pen\", \"count\": \"x\"}}}", Stock.class))
                .hasMessageEndingWith(" at .byShelf.*.count");
    }

    @Test
    void a_value_that_cannot_be_written_is_refused() {
        Loop loop = new Loop(new ArrayList<>());
        loop.members().add(loop);
        assertThatThrownBy(() -> SERIALIZER.write(loop))
                .isInstanceOf(SerializationException.class)
                .hasNoCause()
                .hasMessageContaining(Loop.class.getName());
    }
}
