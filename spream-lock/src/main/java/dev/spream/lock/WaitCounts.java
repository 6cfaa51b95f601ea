package dev.spream.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How often and how long each key was waited for, since it was last asked. Safe for use by many threads. */
final class WaitCounts {
    private final Map<LockKey, LockReport.BucketWaits> counts = new ConcurrentHashMap<>();

    void add(LockKey key, Duration waited) {
        add(new LockReport.BucketWaits(key, 1, waited));
    }

    private void add(LockReport.BucketWaits more) {
        counts.merge(
                more.key(),
                more,
                (one, other) -> new LockReport.BucketWaits(
                        one.key(), one.waits() + other.waits(), one.waited().plus(other.waited())));
    }

    boolean isEmpty() {
        return counts.isEmpty();
    }

    /** Takes all counts away. */
    List<LockReport.BucketWaits> drain() {
        List<LockReport.BucketWaits> drained = new ArrayList<>();
        for (LockKey key : List.copyOf(counts.keySet())) {
            LockReport.BucketWaits count = counts.remove(key);
            if (count != null) {
                drained.add(count);
            }
        }
        return drained;
    }

    /** Puts back what could not be reported. */
    void restore(List<LockReport.BucketWaits> drained) {
        drained.forEach(this::add);
    }
}
