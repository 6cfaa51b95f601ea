package dev.spream.core.lock;

import static java.util.stream.Collectors.joining;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What one owner holds, and what it still needs for a request. Pure but for being told what was taken; confined to its owner.
 *
 * <p>An owner takes locks in the order of their keys, over all of its calls. One that went back in that order could wait for
 * somebody who came the right way and waits for it; so could one that wants alone what it shares.
 */
final class HeldLocks {
    private final LockSpace space;
    private final NavigableMap<LockKey, LockMode> keys = new TreeMap<>();
    private final Map<LockTarget, LockMode> targets = new LinkedHashMap<>();

    HeldLocks(LockSpace space) {
        this.space = space;
    }

    /**
     * The locks that the request needs and the owner does not have, in order; empty if it has all of them.
     *
     * @throws LockOrderException if one of them must not be taken any more
     */
    List<PlannedLock> missing(LockRequest request) {
        Map<LockTarget, LockMode> uncovered = new LinkedHashMap<>(request.targets());
        uncovered.keySet().removeIf(this::isBelowExclusive);
        if (uncovered.isEmpty()) {
            return List.of();
        }
        List<PlannedLock> missing = LockPlan.of(new LockRequest(uncovered), space).locks().stream()
                .filter(lock -> !isHeld(lock))
                .toList();
        missing.forEach(lock -> requireInOrder(lock, request));
        return missing;
    }

    /** Whether a request is refused, or needs less, because of what is held: more than taking a lock again. */
    boolean matterTo(LockRequest request) {
        if (request.targets().keySet().stream().anyMatch(this::isBelowExclusive)) {
            return true;
        }
        try {
            List<PlannedLock> ignored = missing(request);
            return false;
        } catch (LockOrderException e) {
            return true;
        }
    }

    /** Whether all of the request is below targets that are held exclusively. */
    boolean covers(LockRequest request) {
        return request.targets().keySet().stream().allMatch(this::isBelowExclusive);
    }

    /** The rest of a request that is not {@linkplain #covers covered}. */
    LockRequest uncovered(LockRequest request) {
        Map<LockTarget, LockMode> left = new LinkedHashMap<>(request.targets());
        left.keySet().removeIf(this::isBelowExclusive);
        return new LockRequest(left);
    }

    /** Whether these keep out the one that wants those. */
    boolean conflictWith(List<PlannedLock> wanted) {
        return wanted.stream().anyMatch(lock -> {
            LockMode held = keys.get(lock.key());
            return held != null && held.conflictsWith(lock.mode());
        });
    }

    private boolean isBelowExclusive(LockTarget target) {
        return target.ancestors().stream().anyMatch(ancestor -> targets.get(ancestor) == LockMode.EXCLUSIVE);
    }

    private boolean isHeld(PlannedLock lock) {
        LockMode held = keys.get(lock.key());
        return held != null && held.covers(lock.mode());
    }

    private void requireInOrder(PlannedLock lock, LockRequest request) {
        if (keys.isEmpty()) {
            return;
        }
        if (keys.containsKey(lock.key())) {
            throw refused(request, lock, "is held shared", lock.key());
        }
        LockKey last = keys.lastKey();
        if (lock.key().compareTo(last) < 0) {
            throw refused(request, lock, "comes before lock " + last + ", which is held", last);
        }
    }

    private LockOrderException refused(LockRequest request, PlannedLock lock, String reason, LockKey held) {
        return new LockOrderException(
                "locking %s: lock %s %s for %s; two that did this could wait for each other for ever. Ask for all of it in one call, before anything is held. What was held still is: %s"
                        .formatted(request, lock, reason, ownersOf(held), new LockRequest(targets)),
                null);
    }

    /** The targets that need a key, a few of many. */
    private String ownersOf(LockKey key) {
        return targets.keySet().stream()
                .filter(target -> space.keyOf(target).equals(key)
                        || target.ancestors().stream()
                                .anyMatch(ancestor -> space.keyOf(ancestor).equals(key)))
                .limit(3)
                .map(LockTarget::toString)
                .collect(joining(", "));
    }

    /** The locks that were missing for the request are held now. */
    void add(LockRequest request, List<PlannedLock> taken) {
        taken.forEach(lock -> keys.put(lock.key(), lock.mode()));
        request.targets().forEach((target, mode) -> targets.merge(target, mode, LockMode::strongest));
    }

    /** Empty if nothing is held. */
    Optional<LockRequest> request() {
        return targets.isEmpty() ? Optional.empty() : Optional.of(new LockRequest(targets));
    }
}
