package dev.spream.examples.vocabulary;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import java.util.ArrayList;
import java.util.List;

/** The events of entries in an event store, which is closed by the code that opened it. */
record StoredEntryLog(EventStore store) implements EntryLog {
    private static final int PAGE = 1_000;

    @Override
    public List<EventEnvelope> read(String entryId, long upTo) {
        List<EventEnvelope> events = new ArrayList<>();
        while (events.size() < upTo) {
            int limit = (int) Math.min(PAGE, upTo - events.size());
            List<RecordedEvent> page = store.read(entryId, events.size(), limit);
            page.forEach(recorded -> events.add(recorded.event()));
            if (page.size() < limit) {
                break;
            }
        }
        return events;
    }

    @Override
    public EventEnvelope append(String entryId, long version, NewEvent event) {
        return store.append(entryId, ExpectedVersion.exactly(version), List.of(event))
                .getFirst()
                .event();
    }

    @Override
    public void close() {}
}
