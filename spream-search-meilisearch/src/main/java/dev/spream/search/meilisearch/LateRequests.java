package dev.spream.search.meilisearch;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Requests with documents that were sent and not answered, so that the server may apply them after later writes. Such a
 * request is known to be applied once one of its documents is stored; for how long it may still arrive can only be
 * estimated.
 *
 * <p>Safe for use by many threads. For one document, only the thread that has claimed it may call.
 */
final class LateRequests {
    private final long window;
    private final Map<String, Late> byId = new ConcurrentHashMap<>();

    private record Late(Map<String, Long> versions, long until) {
        boolean hasCome(String id, Map<String, StoredDocument> stored) {
            StoredDocument there = stored.get(id);
            return there != null && there.version() >= versions.getOrDefault(id, Long.MAX_VALUE);
        }

        boolean isOver() {
            return until - System.nanoTime() <= 0;
        }
    }

    /** @param window how long a request may arrive after its caller stopped waiting */
    LateRequests(Duration window) {
        this.window = TimeUnit.NANOSECONDS.convert(window);
    }

    /** @param versions the versions of the documents that were sent, by id */
    void add(Map<String, Long> versions) {
        byId.values().removeIf(Late::isOver);
        Late late = new Late(Map.copyOf(versions), System.nanoTime() + window);
        versions.keySet().forEach(id -> byId.put(id, late));
    }

    /** Returns whether a request with one of the documents may still arrive. */
    boolean mayCome(Set<String> ids, Map<String, StoredDocument> stored) {
        if (byId.isEmpty()) {
            return false;
        }
        for (String id : ids) {
            Late late = byId.get(id);
            if (late != null && (late.hasCome(id, stored) || late.isOver())) {
                byId.values().removeIf(late::equals);
            }
        }
        return ids.stream().anyMatch(byId::containsKey);
    }
}
