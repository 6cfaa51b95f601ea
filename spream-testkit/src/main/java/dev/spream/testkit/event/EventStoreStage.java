package dev.spream.testkit.event;

import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.RecordedEvent;
import java.util.List;

/** The base of the parts of the contract of event stores: the store under test, and helper methods. */
interface EventStoreStage {
    EventStore store();

    EventStore anotherStore();

    Threads threads();

    /** Appends to an aggregate at any version. */
    default List<RecordedEvent> append(String aggregateId, String... eventIds) {
        return store().append(aggregateId, ExpectedVersion.any(), TestEvents.newEvents(eventIds));
    }

    default List<RecordedEvent> all(String aggregateId) {
        return store().read(aggregateId, 0, 1_000);
    }

    default List<String> idsOf(String aggregateId) {
        return ids(all(aggregateId));
    }

    static List<String> ids(List<RecordedEvent> events) {
        return events.stream().map(event -> event.event().eventId()).toList();
    }

    static List<Long> versions(List<RecordedEvent> events) {
        return events.stream().map(event -> event.event().eventVersion()).toList();
    }

    static List<Long> positions(List<RecordedEvent> events) {
        return events.stream().map(RecordedEvent::position).toList();
    }
}
