package dev.spream.examples.search;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.search.DocumentMapping;
import dev.spream.projection.search.SearchChange;
import dev.spream.projection.search.SearchDocument;
import dev.spream.projection.search.SearchSchema;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** Words that are added, changed and removed, and the documents that they come to. */
final class Words implements DocumentMapping {
    static final SearchSchema SCHEMA = new SearchSchema(List.of("word"), Set.of("word"), Set.of("word"));

    private static final AtomicLong IDS = new AtomicLong();
    private static final String ADDED = "Added";
    private static final String CHANGED = "Changed";
    private static final String REMOVED = "Removed";

    @Override
    public Set<String> eventTypes() {
        return Set.of();
    }

    @Override
    public List<SearchChange> changes(EventEnvelope event) {
        return List.of(change(event));
    }

    private static SearchChange change(EventEnvelope event) {
        String id = event.aggregateId();
        long version = event.eventVersion();
        return switch (event.eventType()) {
            case ADDED ->
                new SearchChange.Put(
                        new SearchDocument(
                                id, Map.of("word", "word" + event.eventData(), "added", version, "version", version)),
                        version);
            case CHANGED ->
                new SearchChange.Merge(id, Map.of("word", "word" + event.eventData(), "version", version), version);
            default -> new SearchChange.Delete(id, version);
        };
    }

    /** Appends an event of one of the kinds. */
    static void append(EventStore events, String word, int kind) {
        long id = IDS.incrementAndGet();
        String type =
                switch (kind) {
                    case 0, 1 -> ADDED;
                    case 2 -> REMOVED;
                    default -> CHANGED;
                };
        events.append(
                word,
                ExpectedVersion.any(),
                List.of(new NewEvent(
                        "e" + id, type, Long.toString(id), Instant.parse("2026-01-01T00:00:00Z"), EventMetadata.NONE)));
    }

    /** Returns the documents that the index must contain after all these events, by id. */
    static Map<String, Map<String, Object>> fold(List<RecordedEvent> events) {
        Map<String, Map<String, Object>> documents = new TreeMap<>();
        for (RecordedEvent recorded : events) {
            switch (change(recorded.event())) {
                case SearchChange.Put put ->
                    documents.put(put.id(), put.document().fields());
                case SearchChange.Delete delete -> documents.remove(delete.id());
                case SearchChange.Merge merge ->
                    documents.computeIfPresent(merge.id(), (id, fields) -> {
                        Map<String, Object> merged = new LinkedHashMap<>(fields);
                        merged.putAll(merge.fields());
                        return merged;
                    });
            }
        }
        return documents;
    }
}
