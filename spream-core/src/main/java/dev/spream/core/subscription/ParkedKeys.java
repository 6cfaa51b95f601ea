package dev.spream.core.subscription;

import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The keys whose changes go to the dead letter sink without being tried. Safe for use by many threads. */
final class ParkedKeys {
    private final Set<RecordKey> keys = ConcurrentHashMap.newKeySet();

    /** The keys that were parked before this run. */
    static ParkedKeys load(Optional<DeadLetterSink> sink) throws Exception {
        ParkedKeys parked = new ParkedKeys();
        if (sink.isPresent()) {
            parked.keys.addAll(sink.get().parkedKeys());
        }
        return parked;
    }

    void park(Set<RecordKey> parked) {
        keys.addAll(parked);
    }

    boolean containsAny(Set<RecordKey> candidates) {
        return !Collections.disjoint(keys, candidates);
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }
}
