package dev.spream.serializer.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.serialization.SerializationException;
import dev.spream.core.serialization.SerializedValue;
import dev.spream.core.serialization.TypeRegistry;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class TypeRegistryTest {
    private static final TypeRegistry TYPES = TypeRegistry.builder(JacksonSerializer.create())
            .type(
                    "Deposited",
                    Deposited.class,
                    data -> data.put("amount", data.remove("value")),
                    data -> data.put("amount", Map.of("units", data.get("amount"), "currency", "EUR")))
            .type("Closed", Closed.class)
            .formerName("PaidIn", Deposited.class)
            .build();

    private sealed interface AccountEvent {}

    private record Deposited(Amount amount) implements AccountEvent {}

    private record Closed(String reason) implements AccountEvent {}

    private record Renamed(String name) implements AccountEvent {}

    private record Amount(long units, String currency) {}

    @Test
    void a_value_is_stored_under_the_name_and_version_of_its_type() {
        assertThat(TYPES.serialize(new Closed("moved")))
                .isEqualTo(new SerializedValue("Closed", "{\"reason\":\"moved\"}"));
        assertThat(TYPES.serialize(new Deposited(new Amount(5, "CHF"))))
                .isEqualTo(new SerializedValue("Deposited@3", "{\"amount\":{\"units\":5,\"currency\":\"CHF\"}}"));
        assertThat(TYPES.serialize(new Closed("moved"))).hasToString("Closed");
    }

    @Test
    void a_value_of_every_version_and_of_a_former_name_is_read() {
        assertThat(List.of(
                        read("Deposited", "{\"value\": 5}"),
                        read("Deposited@2", "{\"amount\": 5}"),
                        read("Deposited@3", "{\"amount\": {\"units\": 5, \"currency\": \"EUR\"}}"),
                        read("PaidIn@2", "{\"amount\": 5}")))
                .containsOnly(new Deposited(new Amount(5, "EUR")));
    }

    @Test
    void the_class_of_a_stored_name_is_known_whatever_its_version() {
        assertThat(TYPES.classOf("Deposited@9")).contains(Deposited.class);
        assertThat(TYPES.classOf("PaidIn")).contains(Deposited.class);
        assertThat(TYPES.classOf("Opened")).isEmpty();
    }

    @Test
    void a_value_that_cannot_be_read_is_refused_with_its_reason() {
        assertThatThrownBy(() -> read("Opened", "{}"))
                .isInstanceOf(SerializationException.class)
                .hasMessage("type 'Opened' is not registered");
        assertThatThrownBy(() -> read("Deposited@4", "{}"))
                .isInstanceOf(SerializationException.class)
                .hasMessageContaining("'Deposited@4' has a newer version than this program, which has version 3");
        assertThatThrownBy(() -> read("Deposited", "[5]"))
                .isInstanceOf(SerializationException.class)
                .hasMessageContaining("no JSON object");
        assertThatThrownBy(() -> read("Deposited", "{secret"))
                .isInstanceOf(SerializationException.class)
                .hasMessageContaining("not JSON text")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> read("Deposited@2", "{}"))
                .isInstanceOf(SerializationException.class)
                .hasNoCause()
                .hasMessage("the upcaster of type 'Deposited' from version 2 failed: java.lang.NullPointerException");
    }

    @Test
    void an_upcaster_that_puts_a_value_which_json_does_not_have_is_named() {
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        for (Object value : List.of(LocalDate.EPOCH, Double.NaN, Map.of(5, "secret"), itself)) {
            TypeRegistry types = TypeRegistry.builder(JacksonSerializer.create())
                    .type("Closed", Closed.class, data -> data.put("reason", value))
                    .build();
            assertThatThrownBy(() -> types.deserialize(new SerializedValue("Closed", "{}")))
                    .isInstanceOf(SerializationException.class)
                    .hasMessageContaining("'Closed' from version 1")
                    .hasMessageNotContaining("secret");
        }
    }

    @Test
    void a_value_that_is_not_of_its_class_is_refused_with_its_type_class_and_member() {
        assertThatThrownBy(() -> read("Deposited@3", "{\"amount\": {\"units\": \"secret\", \"currency\": \"EUR\"}}"))
                .isInstanceOf(SerializationException.class)
                .hasMessageContainingAll("type 'Deposited@3'", Deposited.class.getName(), ".amount.units")
                .hasMessageNotContaining("secret");
    }

    @Test
    void a_version_with_more_digits_than_a_number_has_is_newer_too() {
        for (String version : List.of("9999999999", "9".repeat(30))) {
            assertThatThrownBy(() -> read("Deposited@" + version, "{}")).hasMessageContaining("newer version");
        }
    }

    @Test
    void only_registered_classes_are_written() {
        assertThatIllegalArgumentException().isThrownBy(() -> TYPES.serialize(new Renamed("new")));
    }

    @Test
    void a_permitted_class_that_is_missing_is_named() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TYPES.requireRegistered(AccountEvent.class))
                .withMessage("not registered as types: " + Renamed.class.getName());
        TYPES.requireRegistered(Closed.class);
    }

    @Test
    void names_and_classes_are_registered_once_and_names_have_no_version() {
        TypeRegistry.Builder types =
                TypeRegistry.builder(JacksonSerializer.create()).type("Closed", Closed.class);
        assertThatIllegalArgumentException().isThrownBy(() -> types.type("Closed", Renamed.class));
        assertThatIllegalArgumentException().isThrownBy(() -> types.type("Ended", Closed.class));
        assertThatIllegalArgumentException().isThrownBy(() -> types.formerName("Closed", Closed.class));
        assertThatIllegalArgumentException().isThrownBy(() -> types.formerName("Paid", Deposited.class));
        for (String name : List.of("Paid@2", "", " ", "Paid\n")) {
            assertThatIllegalArgumentException().isThrownBy(() -> types.formerName(name, Closed.class));
        }
    }

    private static Object read(String type, String json) {
        return TYPES.deserialize(new SerializedValue(type, json));
    }
}
