package dev.spream.projection.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.serialization.SerializationException;
import dev.spream.core.serialization.TypeRegistry;
import dev.spream.serializer.jackson.JacksonSerializer;
import dev.spream.testkit.event.TestEvents;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of events as values. */
final class TypedEventsTest {
    private static final TypeRegistry TYPES = TypeRegistry.builder(JacksonSerializer.create())
            .type("Added", Added.class, data -> {})
            .type("Removed", Removed.class)
            .build();
    private static final TypedEvents<ItemEvent> EVENTS = TypedEvents.of(ItemEvent.class, TYPES);

    private sealed interface ItemEvent {}

    private record Added(String item) implements ItemEvent {}

    private record Removed() implements ItemEvent {}

    @Test
    void an_event_is_read_as_it_was_written() {
        NewEvent event = EVENTS.newEvent("e1", new Added("pen"), TestEvents.NOON, EventMetadata.NONE);
        assertThat(event)
                .isEqualTo(new NewEvent("e1", "Added@2", "{\"item\":\"pen\"}", TestEvents.NOON, EventMetadata.NONE));
        assertThat(EVENTS.read(event.of("cart", 1))).isEqualTo(new Added("pen"));
    }

    @Test
    void new_events_have_ids_of_their_own() {
        List<NewEvent> events = EVENTS.newEvents(new Added("pen"), new Removed());
        assertThat(events).extracting(NewEvent::eventType).containsExactly("Added@2", "Removed");
        assertThat(events).extracting(NewEvent::eventId).doesNotHaveDuplicates();
    }

    @Test
    void an_event_of_another_class_is_not_read() {
        TypedEvents<Removed> removed = TypedEvents.of(Removed.class, TYPES);
        EventEnvelope added = EVENTS.newEvents(new Added("secret")).getFirst().of("cart", 1);
        assertThat(removed.handles("Added")).isFalse();
        assertThatThrownBy(() -> removed.read(added))
                .isInstanceOf(SerializationException.class)
                .hasMessageContaining("not a " + Removed.class.getName())
                .hasMessageNotContaining("secret");
    }

    @Test
    void an_event_class_that_is_not_registered_is_found_at_the_beginning() {
        TypeRegistry added = TypeRegistry.builder(JacksonSerializer.create())
                .type("Added", Added.class)
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TypedEvents.of(ItemEvent.class, added))
                .withMessageContaining(Removed.class.getName());
    }
}
