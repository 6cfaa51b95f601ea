package dev.spream.lock;

import static java.util.stream.Collectors.joining;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The locks that one owner holds, and those that it still needs for a request. Does no I/O: it is updated when locks
 * were taken. Confined to its owner.
 *
 * <p>An owner takes locks in the order of their keys, over all of its calls. Taking a lock out of that order could
 * deadlock with an owner that keeps it; so could raising a shared lock to an exclusive one.
 *
 * <p>Held locks may cause a request to be refused. They spare it a lock only if they are sure to be held until the
 * transaction ends.
 */
final class OwnerLocks {
    private final BucketSpace space;
    private final NavigableMap<LockKey, LockMode> keys = new TreeMap<>();
    private final Map<LockKey, LockMode> sure = new HashMap<>();
    private final Map<LockTarget, LockMode> targets = new LinkedHashMap<>();
    private boolean lent;

    OwnerLocks(BucketSpace space) {
        this.space = space;
    }

    /**
     * Locks added from now on are taken in a transaction that other code uses, and may be freed by a rollback to a
     * savepoint, which is not visible here.
     */
    void lend() {
        lent = true;
    }

    /**
     * Returns the locks to take for the request, in order: those that the owner does not have, and again, in their
     * modes, those that may have been freed. Below a target that is held exclusively, the locks of that target are
     * returned. Empty if all are certain to be held.
     *
     * @throws LockOrderException if one of them must not be taken any more
     */
    List<PlannedLock> missing(LockRequest request) {
        if (keys.isEmpty()) {
            return LockPlan.of(request, space).locks();
        }
        List<PlannedLock> plan = LockPlan.of(withCovering(request), space).locks();
        plan.stream().filter(lock -> !isIn(keys, lock)).forEach(lock -> requireInOrder(lock, request));
        return plan.stream()
                .filter(lock -> !isIn(sure, lock))
                .map(lock -> new PlannedLock(
                        lock.key(), keys.getOrDefault(lock.key(), lock.mode()).strongest(lock.mode())))
                .toList();
    }

    /** Returns whether the held locks cause a request to be refused or to take other locks than its own. */
    boolean affect(LockRequest request) {
        try {
            return !missing(request).equals(LockPlan.of(request, space).locks());
        } catch (LockOrderException e) {
            return true;
        }
    }

    /**
     * Returns the request together with the exclusively held targets above it, so that its own targets need no locks.
     */
    private LockRequest withCovering(LockRequest request) {
        Map<LockTarget, LockMode> all = new LinkedHashMap<>(request.targets());
        request.targets().keySet().stream()
                .flatMap(target -> target.ancestors().stream())
                .filter(ancestor -> targets.get(ancestor) == LockMode.EXCLUSIVE)
                .forEach(ancestor -> all.put(ancestor, LockMode.EXCLUSIVE));
        return new LockRequest(all);
    }

    /** Returns whether these locks conflict with those. */
    boolean conflictWith(List<PlannedLock> wanted) {
        return LockPlan.conflict(keys, wanted);
    }

    private static boolean isIn(Map<LockKey, LockMode> modes, PlannedLock lock) {
        LockMode held = modes.get(lock.key());
        return held != null && held.covers(lock.mode());
    }

    private void requireInOrder(PlannedLock lock, LockRequest request) {
        if (keys.containsKey(lock.key())) {
            throw refused(request, lock, "cannot be upgraded, since it is held shared", lock.key());
        }
        LockKey last = keys.lastKey();
        if (lock.key().compareTo(last) < 0) {
            throw refused(request, lock, "comes before lock " + last + ", which is held", last);
        }
    }

    private LockOrderException refused(LockRequest request, PlannedLock lock, String reason, LockKey held) {
        return new LockOrderException(
                "locking %s: lock %s %s for %s; two owners that did this could deadlock. Nothing was changed: request all targets in one call, before other locks. Still held: %s"
                        .formatted(request, lock, reason, ownersOf(held), new LockRequest(targets)),
                null);
    }

    /** Returns the targets that need a key, a few of many. */
    private String ownersOf(LockKey key) {
        return targets.keySet().stream()
                .filter(target -> space.keyOf(target).equals(key)
                        || target.ancestors().stream()
                                .anyMatch(ancestor -> space.keyOf(ancestor).equals(key)))
                .limit(3)
                .map(LockTarget::toString)
                .collect(joining(", "));
    }

    /** Records that the missing locks of the request are held now. */
    void add(LockRequest request, List<PlannedLock> taken) {
        taken.forEach(lock -> keys.merge(lock.key(), lock.mode(), LockMode::strongest));
        if (!lent) {
            taken.forEach(lock -> sure.merge(lock.key(), lock.mode(), LockMode::strongest));
        }
        request.targets().forEach((target, mode) -> targets.merge(target, mode, LockMode::strongest));
    }

    /** Returns the held targets; empty if nothing is held. */
    Optional<LockRequest> request() {
        return targets.isEmpty() ? Optional.empty() : Optional.of(new LockRequest(targets));
    }
}
