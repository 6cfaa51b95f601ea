package dev.spream.lock;

import static java.util.stream.Collectors.joining;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The targets to lock in one call: any set of them, of any levels, each in a mode. The ancestors of every target come
 * with it, shared.
 *
 * <pre>{@code
 * LockRequest transfer = LockRequest.exclusive(LockTarget.account("u1", "a1"), LockTarget.account("u2", "a7"));
 * LockRequest report = LockRequest.shared(LockTarget.user("u1"));
 * }</pre>
 *
 * @param targets at least one
 */
public record LockRequest(Map<LockTarget, LockMode> targets) {
    public LockRequest {
        targets = Collections.unmodifiableMap(new LinkedHashMap<>(targets));
        if (targets.isEmpty()) {
            throw new IllegalArgumentException("a request needs at least one target");
        }
    }

    /**
     * Returns a request for targets that the caller alone holds: no other owner may hold them or a target below them,
     * in any mode, nor a target above them exclusively.
     */
    public static LockRequest exclusive(LockTarget first, LockTarget... more) {
        return of(first, more, LockMode.EXCLUSIVE);
    }

    public static LockRequest exclusive(Collection<LockTarget> targets) {
        return of(targets, LockMode.EXCLUSIVE);
    }

    /**
     * Returns a request for targets that others may share: no owner may hold them, or a target above them, exclusively.
     * A request for a target below them shares them too and is not excluded.
     */
    public static LockRequest shared(LockTarget first, LockTarget... more) {
        return of(first, more, LockMode.SHARED);
    }

    public static LockRequest shared(Collection<LockTarget> targets) {
        return of(targets, LockMode.SHARED);
    }

    private static LockRequest of(LockTarget first, LockTarget[] more, LockMode mode) {
        LinkedHashMap<LockTarget, LockMode> targets = new LinkedHashMap<>();
        targets.put(first, mode);
        Arrays.stream(more).forEach(target -> targets.put(target, mode));
        return new LockRequest(targets);
    }

    private static LockRequest of(Collection<LockTarget> all, LockMode mode) {
        LinkedHashMap<LockTarget, LockMode> targets = new LinkedHashMap<>();
        all.forEach(target -> targets.put(target, mode));
        return new LockRequest(targets);
    }

    /** Returns the union of both requests; a target of both is locked in the stronger mode. */
    public LockRequest and(LockRequest other) {
        LinkedHashMap<LockTarget, LockMode> both = new LinkedHashMap<>(targets);
        other.targets.forEach((target, mode) -> both.merge(target, mode, LockMode::strongest));
        return new LockRequest(both);
    }

    /** Returns the targets as text, with shared ones marked; only a few of many. */
    @Override
    public String toString() {
        List<Map.Entry<LockTarget, LockMode>> entries = List.copyOf(targets.entrySet());
        String shown = entries.stream().limit(MAX_SHOWN).map(LockRequest::show).collect(joining(", "));
        int hidden = entries.size() - MAX_SHOWN;
        return hidden <= 0 ? shown : "%s and %d more".formatted(shown, hidden);
    }

    private static final int MAX_SHOWN = 5;

    private static String show(Map.Entry<LockTarget, LockMode> entry) {
        return entry.getValue() == LockMode.SHARED
                ? entry.getKey() + " (shared)"
                : entry.getKey().toString();
    }
}
