package dev.spream.projection.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.testkit.event.TestEvents;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EventJsonTest {
    private static final String EVENT = """
            {"event_id": "e1", "aggregate_id": "a", "event_type": "ItemAdded", "event_data": {"n": 1.50},
             "event_version": 7, "occurred_at": "2025-08-03T12:00:00.5Z",
             "metadata": {"correlation_id": "c", "user_id": "u", "source_service": "s", "idempotency_key": "k"}}""";

    @Test
    void an_event_has_the_members_of_the_envelope() {
        EventEnvelope event = new EventEnvelope(
                "e1",
                "a\"\n",
                "ItemAdded",
                "{ \"n\" : 1.50 }",
                7,
                Instant.parse("2025-08-03T12:00:00Z"),
                new EventMetadata("c", "u", "s", Optional.of("k")));
        assertThat(EventJson.write(event))
                .isEqualTo("{\"event_id\":\"e1\",\"aggregate_id\":\"a\\\"\\n\",\"event_type\":\"ItemAdded\","
                        + "\"event_data\":{ \"n\" : 1.50 },\"event_version\":7,\"occurred_at\":\"2025-08-03T12:00:00Z\","
                        + "\"metadata\":{\"correlation_id\":\"c\",\"user_id\":\"u\",\"source_service\":\"s\","
                        + "\"idempotency_key\":\"k\"}}");
    }

    @Test
    void a_written_event_is_read_back_unchanged() {
        for (String data : List.of(
                "{}",
                "null",
                "-0.10e+2",
                "\"\\\"}\\\\\"",
                "[{\"a\":[1,\"]\"]},2]",
                "{\"event_data\":{\"x\":\"},\"}}",
                "true")) {
            EventEnvelope event =
                    new EventEnvelope("e1", "a", "t", data, Long.MAX_VALUE, TestEvents.NOON, EventMetadata.NONE);
            assertThat(EventJson.read(EventJson.write(event))).isEqualTo(event);
        }
        EventEnvelope event = TestEvents.event("ä'\"", 3);
        assertThat(EventJson.read(EventJson.write(event))).isEqualTo(event);
    }

    @Test
    void data_are_kept_as_they_are_written() {
        EventEnvelope event = EventJson.read(EVENT.replace("{\"n\": 1.50}", " { \"b\" : 1.50 ,\t\"a\":[ ] } "));
        assertThat(event.eventData()).isEqualTo("{ \"b\" : 1.50 ,\t\"a\":[ ] }");
        assertThat(EventJson.read(EVENT).eventData()).isEqualTo("{\"n\": 1.50}");
    }

    @Test
    void of_data_that_are_there_twice_the_last_are_taken() {
        EventEnvelope event =
                EventJson.read(EVENT.replace("\"event_data\"", "\"event_data\": [1], \"event\\u005fdata\""));
        assertThat(event.eventData()).isEqualTo("{\"n\": 1.50}");
    }

    @Test
    void unknown_members_are_passed_over_and_times_have_any_offset() {
        EventEnvelope event = EventJson.read(EVENT.replace("{\"event_id\"", "{\"schema\": {\"x\": []}, \"event_id\"")
                .replace("12:00:00.5Z", "14:00:00.5+02:00"));
        assertThat(event.occurredAt()).isEqualTo(Instant.parse("2025-08-03T12:00:00.5Z"));
        assertThat(event.eventVersion()).isEqualTo(7);
        assertThat(event.metadata()).isEqualTo(new EventMetadata("c", "u", "s", Optional.of("k")));
    }

    @Test
    void metadata_may_be_missing_or_null_as_a_whole_or_in_parts() {
        String without = EVENT.substring(0, EVENT.indexOf("\"metadata\""));
        assertThat(EventJson.read(without + "\"metadata\": null}").metadata()).isEqualTo(EventMetadata.NONE);
        assertThat(EventJson.read(without + "\"metadata\": {\"user_id\": \"u\", \"idempotency_key\": null}}")
                        .metadata())
                .isEqualTo(new EventMetadata("", "u", "", Optional.empty()));
        assertThat(EventJson.read(without + "\"x\": 1}").metadata()).isEqualTo(EventMetadata.NONE);
    }

    @Test
    void a_problem_names_the_member_and_not_its_contents() {
        Map<String, String> broken = Map.ofEntries(
                Map.entry("event_id", EVENT.replace("\"e1\"", "[\"secret\"]")),
                Map.entry("aggregate_id", EVENT.replace("\"aggregate_id\": \"a\"", "\"aggregate_id\": \"\"")),
                Map.entry("event_type", EVENT.replace("\"ItemAdded\"", "\"" + "secret".repeat(40) + "\"")),
                Map.entry("event_data", EVENT.replace("event_data", "secret")),
                Map.entry("event_version", EVENT.replace("7", "\"secret\"")),
                Map.entry("occurred_at", EVENT.replace("2025-08-03T12:00:00.5Z", "secret")),
                Map.entry("correlation_id", EVENT.replace("\"c\"", "{\"secret\": 1}")),
                Map.entry("idempotency_key", EVENT.replace("\"k\"", "true")),
                Map.entry("metadata", EVENT.substring(0, EVENT.indexOf("{\"correlation")) + "\"secret\"}"));
        broken.forEach((member, text) -> assertThatThrownBy(() -> EventJson.read(text))
                .as(member)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(member)
                .hasMessageNotContaining("secret"));
    }

    /** Drivers write a half as a question mark: what is known of one aggregate would be taken for another's. */
    @ParameterizedTest
    @ValueSource(strings = {"a\\ud800", "\\udc00a", "\\ud800\\ud800\\udc00", "\\udc00\\ud800", "\ud83d"})
    void a_name_with_half_of_a_surrogate_pair_is_refused(String name) {
        for (String member : List.of("\"e1\"", "\"a\"", "\"ItemAdded\"", "\"c\"", "\"u\"", "\"s\"", "\"k\"")) {
            assertThatThrownBy(() -> EventJson.read(EVENT.replace(": " + member, ": \"" + name + "\"")))
                    .as(member)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("surrogate");
        }
        assertThat(EventJson.read(EVENT.replace("\"a\"", "\"\\ud83d\\ude00\"")).aggregateId())
                .isEqualTo("\ud83d\ude00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1.5", "1e30", "null", "true"})
    void a_version_is_a_whole_number_from_1(String version) {
        assertThatThrownBy(() -> EventJson.read(EVENT.replace("7", version)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("event_version");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "secret", "[]", "{\"secret\": ", "{\"event_data\": {}}", "null", "{}"})
    void a_text_that_is_no_event_is_refused(String text) {
        assertThatThrownBy(() -> EventJson.read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void an_event_whose_data_are_no_json_is_not_written() {
        EventEnvelope event = new EventEnvelope("e1", "a", "t", "{\"secret\"", 1, TestEvents.NOON, EventMetadata.NONE);
        assertThatThrownBy(() -> EventJson.write(event))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("e1")
                .hasMessageNotContaining("secret");
    }
}
