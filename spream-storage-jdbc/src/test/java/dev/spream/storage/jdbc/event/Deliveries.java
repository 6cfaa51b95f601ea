package dev.spream.storage.jdbc.event;

import java.util.BitSet;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The events that one reader delivered, and the number of versions out of order. Used by threads that share no keys. */
final class Deliveries {
    private final Map<String, Versions> keys = new ConcurrentHashMap<>();
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong inversions = new AtomicLong();
    private final AtomicLong duplicates = new AtomicLong();

    /** Those of one key, and the highest. */
    private static final class Versions {
        private final BitSet seen = new BitSet();
        private int last;
    }

    void add(String key, long version) {
        Versions versions = keys.computeIfAbsent(key, any -> new Versions());
        int number = Math.toIntExact(version);
        if (versions.seen.get(number)) {
            duplicates.incrementAndGet();
            return;
        }
        versions.seen.set(number);
        if (number < versions.last) {
            inversions.incrementAndGet();
        }
        versions.last = Math.max(versions.last, number);
        delivered.incrementAndGet();
    }

    /** Returns the number of different events. */
    long delivered() {
        return delivered.get();
    }

    /** Returns the number of events that came after a later one of their key. */
    long inversions() {
        return inversions.get();
    }

    long duplicates() {
        return duplicates.get();
    }
}
