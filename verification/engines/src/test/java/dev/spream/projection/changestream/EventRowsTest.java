package dev.spream.projection.changestream;

import static dev.spream.projection.changestream.EventChanges.EVENTS;
import static dev.spream.projection.changestream.EventChanges.change;
import static dev.spream.projection.changestream.EventChanges.inserted;
import static dev.spream.projection.changestream.EventChanges.row;
import static dev.spream.projection.changestream.EventChanges.rowWith;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.projection.changestream.EventTableMapping.Column;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedItem;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EventRowsTest {
    private static final Mod WITHOUT_VALUES =
            new Mod(row("a", 1).keys(), JsonObject.EMPTY, row("a", 1).newValues());

    private static List<FeedItem> items(DataChangeRecord change) {
        return items(EVENTS, change);
    }

    private static List<FeedItem> items(EventTableMapping table, DataChangeRecord change) {
        return new EventRows(table)
                .of(change).stream().map(row -> row.item().apply(7)).toList();
    }

    private static EventEnvelope event(DataChangeRecord change) {
        assertThat(items(change)).singleElement().isInstanceOf(FeedItem.Event.class);
        return ((FeedItem.Event) items(change).getFirst()).envelope();
    }

    private static FeedItem.Undecodable undecodable(DataChangeRecord change) {
        assertThat(items(change)).singleElement().isInstanceOf(FeedItem.Undecodable.class);
        return (FeedItem.Undecodable) items(change).getFirst();
    }

    private static DataChangeRecord updated(
            ValueCaptureType captured, Map<String, String> old, Map<String, String> now) {
        return change(
                1,
                EventChanges.TABLE,
                ModType.UPDATE,
                captured,
                TypeCode.JSON,
                new Mod(row("a", 1).keys(), JsonObject.of(now), JsonObject.of(old)));
    }

    @Test
    void an_inserted_row_is_an_event_with_all_that_its_columns_say() {
        assertThat(event(inserted(1, row("a", 3))))
                .isEqualTo(new EventEnvelope(
                        "a-3",
                        "a",
                        "Added",
                        "{\"n\": 3}",
                        3,
                        Instant.parse("2026-01-01T09:00:00.123456789Z"),
                        new EventMetadata("c-1", "u-1", "shop", Optional.of("k-1"))));
    }

    @Test
    void a_row_occurred_when_it_was_committed_unless_it_says_so() {
        assertThat(event(inserted(5, rowWith("occurred_at", null))).occurredAt())
                .isEqualTo(ScriptedSource.at(5));
    }

    @ParameterizedTest
    @ValueSource(strings = {"correlation_id", "user_id", "source_service"})
    void metadata_columns_may_be_null(String column) {
        EventMetadata metadata = event(inserted(1, rowWith(column, null))).metadata();
        assertThat(List.of(metadata.correlationId(), metadata.userId(), metadata.sourceService()))
                .containsOnlyOnce("");
    }

    @Test
    void columns_can_have_other_names() {
        EventTableMapping renamed =
                EVENTS.with(Column.EVENT_TYPE, "source_service").with(Column.SOURCE_SERVICE, "none");
        assertThat(items(renamed, inserted(1, row("a", 1))))
                .singleElement()
                .isInstanceOfSatisfying(FeedItem.Event.class, event -> {
                    assertThat(event.envelope().eventType()).isEqualTo("shop");
                    assertThat(event.envelope().metadata().sourceService()).isEmpty();
                    assertThat(event.deliveryId()).isEqualTo(7);
                });
    }

    @Test
    void data_that_are_sent_as_json_become_text() {
        assertThat(event(inserted(1, rowWith("event_data", Map.of("n", List.of(true)))))
                        .eventData())
                .isEqualTo("{\"n\":[true]}");
    }

    @Test
    void a_text_column_of_data_holds_json_or_no_event() {
        Mod text = rowWith("event_data", "{\"n\": 1}");
        Mod none = rowWith("event_data", "secret");
        ValueCaptureType captured = ValueCaptureType.NEW_ROW;
        assertThat(event(change(1, EventChanges.TABLE, ModType.INSERT, captured, TypeCode.STRING, text))
                        .eventData())
                .isEqualTo("{\"n\": 1}");
        assertThat(undecodable(change(1, EventChanges.TABLE, ModType.INSERT, captured, TypeCode.STRING, none))
                        .reason())
                .contains("column event_data has no JSON")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "event_id,,column event_id is null",
        "event_type,,column event_type is null",
        "event_data,,column event_data is null",
        "event_id,'',eventId has 0 characters",
        "occurred_at,secret,column occurred_at has no timestamp"
    })
    void a_row_that_is_no_event_says_why_and_not_what_is_in_it(String column, String value, String reason) {
        FeedItem.Undecodable item = undecodable(inserted(1, rowWith(column, value)));
        assertThat(item.reason()).contains(reason).doesNotContain("secret");
        assertThat(item.at()).isEqualTo(ScriptedSource.at(1));
        assertThat(item.attributes()).containsEntry("table", "Events").containsEntry("mod_type", "INSERT");
    }

    @Test
    void a_version_that_is_no_number_is_no_event() {
        Mod wrong = new Mod(
                JsonObject.of(Map.of("aggregate_id", "a", "event_version", "secret")),
                row("a", 1).newValues(),
                JsonObject.EMPTY);
        assertThat(undecodable(inserted(1, wrong)).reason()).isEqualTo("column event_version has no whole number");
    }

    @Test
    void a_row_that_is_no_event_is_delivered_as_a_change_with_this_row_only() {
        DataChangeRecord change = inserted(1, row("a", 1), rowWith("event_id", null), row("b", 1));
        List<FeedItem> items = items(change);
        assertThat(items).hasSize(3);
        FeedItem.Undecodable undecodable = (FeedItem.Undecodable) items.getFirst();
        assertThat(undecodable.origin()).isEqualTo(change.identity() + "/1");
        assertThat(UTF_8.decode(undecodable.bytes()).toString())
                .contains("\"table_name\":\"Events\"", "\"aggregate_id\":\"a\"")
                .doesNotContain("\"aggregate_id\":\"b\"");
    }

    @Test
    void deletes_and_other_tables_are_passed_over() {
        ValueCaptureType captured = ValueCaptureType.OLD_AND_NEW_VALUES;
        assertThat(items(change(1, EventChanges.TABLE, ModType.DELETE, captured, TypeCode.JSON, WITHOUT_VALUES)))
                .isEmpty();
        assertThat(items(change(1, "events", ModType.INSERT, captured, TypeCode.JSON, row("a", 1))))
                .isEmpty();
    }

    @Test
    void an_event_that_was_changed_is_undecodable() {
        assertThat(undecodable(updated(
                                ValueCaptureType.OLD_AND_NEW_VALUES,
                                Map.of("event_data", "{}"),
                                Map.of("event_data", "[]")))
                        .reason())
                .contains("was changed");
        assertThat(undecodable(updated(
                                ValueCaptureType.NEW_ROW, Map.of(), Map.of("event_data", "{}", "published", "true")))
                        .reason())
                .contains("was changed");
    }

    @Test
    void an_update_of_other_columns_is_passed_over() {
        assertThat(items(updated(ValueCaptureType.NEW_VALUES, Map.of(), Map.of("published", "true"))))
                .isEmpty();
        assertThat(items(updated(
                        ValueCaptureType.NEW_ROW_AND_OLD_VALUES,
                        Map.of("published", "false"),
                        Map.of("event_data", "{}", "published", "true"))))
                .isEmpty();
    }

    @Test
    void a_change_of_an_unknown_kind_is_undecodable() {
        DataChangeRecord known = inserted(1, row("a", 1));
        DataChangeRecord unknown = new DataChangeRecord(
                known.commitTimestamp(),
                known.recordSequence(),
                known.serverTransactionId(),
                true,
                known.tableName(),
                known.columnTypes(),
                known.mods(),
                "MERGE",
                known.valueCaptureTypeName(),
                1,
                1,
                "",
                false);
        assertThat(undecodable(unknown).reason()).contains("MERGE");
    }

    @Test
    void a_table_and_its_columns_have_names() {
        assertThatThrownBy(() -> EventTableMapping.named(" "))
                .hasMessageContaining("name of the events table is blank");
        assertThatThrownBy(() -> EVENTS.with(Column.USER_ID, "")).hasMessageContaining("column for user_id is blank");
    }
}
