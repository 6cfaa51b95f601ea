package dev.spream.core.subscription;

import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.PartitionLease;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The keys whose changes are dead-lettered without an attempt. Safe for use by many threads.
 *
 * <p>The sink decides. This set holds all keys that may be parked, and perhaps some that were released since, so that
 * the sink need not be called for other keys.
 */
final class ParkedKeys {
    private final Set<RecordKey> keys = ConcurrentHashMap.newKeySet();

    /** Adds the keys that were parked before this run or by an earlier owner of the partition. */
    void reload(EngineContext context, PartitionLease acquired) throws Exception {
        Optional<DeadLetterSink> sink = context.options().deadLetterSink();
        context.userCalls()
                .call(
                        "the dead letter sink",
                        () -> sink.isPresent() && keys.addAll(sink.get().parkedKeys(acquired)));
    }

    /** Adds the keys; returns the number of those that were new. */
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
