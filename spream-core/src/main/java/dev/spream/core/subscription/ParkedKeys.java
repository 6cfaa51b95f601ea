package dev.spream.core.subscription;

import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionLease;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The keys whose changes go to the dead letter sink without being tried. Safe for use by many threads.
 *
 * <p>The sink decides. Here are all keys that may be parked, and perhaps some that were released since, so that the sink need
 * not be asked for the others.
 */
final class ParkedKeys {
    private final Set<RecordKey> keys = ConcurrentHashMap.newKeySet();

    /** Adds what was parked meanwhile, before this run or by another worker that had the partition. */
    void reload(Optional<DeadLetterSink> sink, PartitionLease acquired) throws Exception {
        if (sink.isPresent()) {
            keys.addAll(sink.get().parkedKeys(acquired));
        }
    }

    /** Returns how many of the keys were not here before. */
    int park(Set<RecordKey> parked) {
        return (int) parked.stream().filter(keys::add).count();
    }

    int size() {
        return keys.size();
    }

    void release(Set<RecordKey> released) {
        keys.removeAll(released);
    }

    boolean containsAny(Set<RecordKey> candidates) {
        return !Collections.disjoint(keys, candidates);
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }
}
