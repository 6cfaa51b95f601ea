package dev.spream.projection.search;

import dev.spream.projection.event.EventEnvelope;
import java.util.List;
import java.util.Set;

/**
 * The mapping of an event to the documents that it changes. It makes no calls: the event contains all it needs. Safe for use by
 * many threads.
 */
public interface DocumentMapping {
    /** Returns the event types that change documents; empty for all. */
    Set<String> eventTypes();

    /**
     * Returns the changes of documents by an event, in the order in which they apply.
     *
     * @throws Exception anything; the event then counts as poison
     */
    List<SearchChange> changes(EventEnvelope event) throws Exception;
}
