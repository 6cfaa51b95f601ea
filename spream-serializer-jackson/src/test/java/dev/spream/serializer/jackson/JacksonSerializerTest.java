package dev.spream.serializer.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.OptBoolean;
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

    private static final class Parcel {
        public int count;
        public @Nullable Integer weight;

        @JsonProperty("fragile")
        public boolean isFragile;

        @JsonAlias("parts")
        @JsonProperty(isRequired = OptBoolean.FALSE)
        public int pieces = 3;

        public List<Parcel> inside = List.of();
    }

    private static final class Customer {
        private @Nullable String name;
        private int points;

        public @Nullable String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }

        public int getPoints() {
            return points;
        }

        public Customer setPoints(int points) {
            this.points = points;
            return this;
        }
    }

    private static final class Names {
        public int count;

        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        Names(Map<String, String> names) {
            count = names.size();
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
    @JsonSubTypes(@JsonSubTypes.Type(value = Box.class, name = "box"))
    private abstract static class Container {}

    private static final class Box extends Container {
        @JsonAlias("litres")
        public int size;
    }

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
    void a_bean_without_a_primitive_member_is_refused_as_a_record_is() {
        Parcel parcel = SERIALIZER.read("{\"fragile\": true, \"count\": 2}", Parcel.class);
        assertThat(List.of(parcel.count, parcel.pieces)).containsExactly(2, 3);
        assertThat(parcel.isFragile).isTrue();
        assertThat(parcel.weight).isNull();
        String json = SERIALIZER.write(parcel);
        assertThat(SERIALIZER.write(SERIALIZER.read(json, Parcel.class))).isEqualTo(json);
        assertMissing(".count", "{\"article\": \"pen\"}", Line.class);
        assertMissing(".count", "{\"fragile\": true}", Parcel.class);
        assertMissing(".fragile", "{\"count\": 2, \"inside\": [{\"fragile\": true}]}", Parcel.class);
        assertMissing(
                ".inside[0].count",
                "{\"fragile\": true, \"count\": 2, \"inside\": [{\"fragile\": true}]}",
                Parcel.class);
    }

    @Test
    void a_member_of_a_bean_has_the_type_that_its_setter_takes() {
        Customer customer = SERIALIZER.read("{\"points\": 5}", Customer.class);
        assertThat(customer.getPoints()).isEqualTo(5);
        assertThat(customer.getName()).isNull();
        assertMissing(".points", "{\"name\": \"Ann\"}", Customer.class);
    }

    @Test
    void a_bean_that_is_made_of_another_value_needs_no_members() {
        assertThat(SERIALIZER.read("{\"first\": \"Ann\"}", Names.class).count).isEqualTo(1);
    }

    private static void assertMissing(String place, String json, Class<?> type) {
        assertThatThrownBy(() -> SERIALIZER.read(json, type))
                .isInstanceOf(SerializationException.class)
                .hasMessage("the JSON text is not a value of %s: a required member is missing at %s"
                        .formatted(type.getName(), place));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"type\": \"box\", \"litres\": 2}", "{\"size\": 2, \"type\": \"box\"}"})
    void a_bean_that_the_text_names_may_use_other_names_of_members(String json) {
        assertThat(SERIALIZER.read(json, Container.class))
                .isInstanceOfSatisfying(Box.class, box -> assertThat(box.size).isEqualTo(2));
        assertMissing(".size", "{\"type\": \"box\"}", Container.class);
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
