package dev.spream.api.plugin;

import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import java.util.List;

/** A plug-in's event store, called in its scope, and so are the sources that it makes. */
record ScopedEventStore(EventStore target, CallScope scope) implements EventStore {
    @Override
    public List<RecordedEvent> append(String aggregateId, ExpectedVersion expected, List<NewEvent> events) {
        return scope.call(() -> target.append(aggregateId, expected, events));
    }

    @Override
    public List<RecordedEvent> read(String aggregateId, long afterVersion, int limit) {
        return scope.call(() -> target.read(aggregateId, afterVersion, limit));
    }

    @Override
    public List<RecordedEvent> readAll(long afterPosition, int limit) {
        return scope.call(() -> target.readAll(afterPosition, limit));
    }

    @Override
    public EventSource source() {
        return new ScopedEventSource(scope.call(target::source), scope);
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
