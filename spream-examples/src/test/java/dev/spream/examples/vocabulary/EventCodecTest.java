package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.examples.vocabulary.VocabularyEvent.EntryCreated;
import dev.spream.examples.vocabulary.VocabularyEvent.ExampleAdded;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemAddedToEntry;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemDeleted;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemUpdated;
import dev.spream.examples.vocabulary.VocabularyEvent.ItemsGeneratedWithAI;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class EventCodecTest {
    private static final Word WATER = new Word("水", "みず", "noun");
    private static final Example EXAMPLE = new Example("x-1", "水を飲む。", "To drink water.", "", List.of("short"));
    private static final Item ITEM = new Item("i-1", "water", "beginner", List.of("food"), List.of(), List.of(EXAMPLE));

    private static final List<VocabularyEvent> EVENTS = List.of(
            new EntryCreated(WATER),
            new EntryCreated(new Word("ゆっくり", "", "adverb")),
            new ItemAddedToEntry(WATER, ITEM),
            new ItemUpdated(
                    "i-1",
                    2,
                    new ItemChange(
                            Optional.of("still water"),
                            Optional.of("elementary"),
                            Optional.of(List.of()),
                            Optional.of(List.of("a", "b")),
                            Optional.of("approved"),
                            Optional.of(0.75))),
            new ItemUpdated(
                    "i-1",
                    3,
                    new ItemChange(
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty(),
                            Optional.of("rejected"),
                            Optional.empty())),
            new ItemDeleted("i-1"),
            new ExampleAdded("i-1", EXAMPLE),
            new ItemsGeneratedWithAI(WATER, List.of(ITEM)));

    @Test
    void an_event_is_the_same_after_it_was_written_and_read() {
        for (VocabularyEvent event : EVENTS) {
            assertThat(EventCodec.read(envelope(event.type(), EventCodec.write(event))))
                    .isEqualTo(event);
        }
    }

    @Test
    void the_types_are_those_of_all_events() {
        assertThat(EVENTS.stream().map(VocabularyEvent::type).collect(Collectors.toSet()))
                .isEqualTo(VocabularyEvent.TYPES);
        assertThat(VocabularyEvent.class.getPermittedSubclasses()).hasSameSizeAs(VocabularyEvent.TYPES);
    }

    @Test
    void members_of_a_later_version_are_passed_over() {
        assertThat(EventCodec.read(envelope("ItemDeleted", "{\"item_id\": \"i-1\", \"why\": [1]}")))
                .isEqualTo(new ItemDeleted("i-1"));
    }

    @Test
    void a_foreign_event_is_refused_without_its_data_in_the_message() {
        assertThatThrownBy(() -> EventCodec.read(envelope("MoneyDeposited", "{\"amount\": 7}")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no event of type MoneyDeposited");
        assertThatThrownBy(() -> EventCodec.read(envelope("ItemDeleted", "{\"item_id\": 4711}")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("item_id")
                .hasMessageNotContaining("4711");
    }

    @Test
    void a_projection_says_what_is_wrong_with_an_event_without_its_data() {
        assertThatThrownBy(() -> EventCodec.readForProjection(envelope("ItemDeleted", "{\"item_id\": 4711}")))
                .isInstanceOfSatisfying(
                        ProjectionException.class,
                        failure -> assertThat(failure.kind()).isEqualTo(FailureKind.POISON))
                .hasMessageStartingWith("the event's data cannot be read as ItemDeleted: item_id must be a text")
                .hasMessageNotContaining("4711");
    }

    private static EventEnvelope envelope(String type, String data) {
        return new EventEnvelope("e-1", "entry-1", type, data, 1, Instant.EPOCH, EventMetadata.NONE);
    }
}
