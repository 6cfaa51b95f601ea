package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.consume.RecordKey;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cache of the keys that may have open failed letters, so that other keys need no query. Safe for use by many
 * threads.
 *
 * <p>Keys are numbered as they are added, after their letters were committed. So a read of the database that began
 * after the number was read covers all keys up to it, and removes none that were added later.
 */
final class OpenDeadLetterKeys {
    private final Map<RecordKey, Long> keys = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong();
    private volatile boolean loaded;

    /** Returns whether the keys of the database were loaded. */
    boolean isLoaded() {
        return loaded;
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }

    boolean contains(RecordKey key) {
        return keys.containsKey(key);
    }

    long mark() {
        return last.get();
    }

    void add(Collection<RecordKey> added) {
        long number = last.incrementAndGet();
        added.forEach(key -> keys.put(key, number));
    }

    /** Adds the keys that the database has, as read by a statement that began after the mark was made. */
    void load(Set<RecordKey> found, long mark) {
        forget(keys.keySet().stream().filter(key -> !found.contains(key)).toList(), mark);
        add(found);
        loaded = true;
    }

    /** Removes keys that have no open letters, as read by a statement that began after the mark was made. */
    void forget(Collection<RecordKey> free, long mark) {
        free.forEach(key -> keys.computeIfPresent(key, (k, number) -> number <= mark ? null : number));
    }
}
