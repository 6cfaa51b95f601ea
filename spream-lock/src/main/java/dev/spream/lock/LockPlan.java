package dev.spream.lock;

import static java.util.stream.Collectors.toMap;

import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.TreeMap;

/**
 * The locks that a request needs, in the order in which to take them. Pure: it needs no database.
 *
 * <ul>
 *   <li>Every target has its lock in the requested mode, and every ancestor of it a shared one.
 *   <li>There is one lock per key: targets that share a bucket share a lock, in the strongest mode that any of them
 *       needs.
 *   <li>A target below an exclusive one needs no lock of its own, because every request for it locks that ancestor as
 * well.
 *   <li>The order is that of the keys. All owners take locks in this order, so no two wait for each other; the order of
 *       ids would not ensure that, as two ids may have buckets in the opposite order.
 * </ul>
 *
 * @param locks in the order of their keys, no key twice
 */
public record LockPlan(List<PlannedLock> locks) {
    public LockPlan {
        locks = List.copyOf(locks);
    }

    /**
     * Plans a request.
     *
     * @throws IllegalArgumentException if a target is deeper than the space
     */
    public static LockPlan of(LockRequest request, BucketSpace space) {
        Map<LockKey, LockMode> modes = new TreeMap<>();
        for (Entry<LockTarget, LockMode> entry : request.targets().entrySet()) {
            LockTarget target = entry.getKey();
            LockKey key = space.keyOf(target);
            List<LockTarget> ancestors = target.ancestors();
            if (ancestors.stream().noneMatch(ancestor -> request.targets().get(ancestor) == LockMode.EXCLUSIVE)) {
                ancestors.forEach(ancestor -> modes.merge(space.keyOf(ancestor), LockMode.SHARED, LockMode::strongest));
                modes.merge(key, entry.getValue(), LockMode::strongest);
            }
        }
        return new LockPlan(modes.entrySet().stream()
                .map(entry -> new PlannedLock(entry.getKey(), entry.getValue()))
                .toList());
    }

    /** Returns whether the first locks conflict with the second. */
    boolean conflictsWith(List<PlannedLock> wanted) {
        return conflict(locks.stream().collect(toMap(PlannedLock::key, PlannedLock::mode)), wanted);
    }

    static boolean conflict(Map<LockKey, LockMode> modes, List<PlannedLock> wanted) {
        return wanted.stream().anyMatch(lock -> {
            LockMode held = modes.get(lock.key());
            return held != null && held.conflictsWith(lock.mode());
        });
    }
}
