package dev.spream.lock.inspection;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockPlan;
import dev.spream.lock.LockTarget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.function.BiPredicate;

/** Classifies waits by the requests of both sides. */
record LockContention(BucketSpace space) {
    /**
     * The locks that one session waits for and another holds, or requested before it.
     *
     * @param wanted what of the waiter's request meets the other's, by name, ancestors included
     * @param other what of the other's it meets
     */
    record Meeting(LockConflict verdict, Map<LockTarget, LockMode> wanted, Map<LockTarget, LockMode> other) {
        Meeting {
            wanted = Map.copyOf(wanted);
            other = Map.copyOf(other);
        }
    }

    /**
     * Classifies one wait.
     *
     * @param key the key at which they meet, as far as the database shows it
     */
    Meeting judge(Optional<LockKey> key, Map<LockTarget, LockMode> wanted, Map<LockTarget, LockMode> other) {
        Map<LockTarget, LockMode> ours = at(key, wanted);
        Map<LockTarget, LockMode> theirs = at(key, other);
        Meeting same = meeting(LockConflict.CONFLICT, ours, theirs, LockTarget::equals);
        if (!same.wanted().isEmpty()) {
            return same;
        }
        Meeting bucket = meeting(
                LockConflict.FALSE_CONTENTION,
                ours,
                theirs,
                (one, another) -> space.keyOf(one).equals(space.keyOf(another)));
        return bucket.wanted().isEmpty() ? new Meeting(LockConflict.UNKNOWN, ours, theirs) : bucket;
    }

    private static Meeting meeting(
            LockConflict verdict,
            Map<LockTarget, LockMode> ours,
            Map<LockTarget, LockMode> theirs,
            BiPredicate<LockTarget, LockTarget> match) {
        Map<LockTarget, LockMode> wanted = new HashMap<>();
        Map<LockTarget, LockMode> other = new HashMap<>();
        ours.forEach((target, mode) -> theirs.forEach((theirTarget, theirMode) -> {
            if (mode.conflictsWith(theirMode) && match.test(target, theirTarget)) {
                wanted.put(target, mode);
                other.put(theirTarget, theirMode);
            }
        }));
        return new Meeting(verdict, wanted, other);
    }

    private Map<LockTarget, LockMode> at(Optional<LockKey> key, Map<LockTarget, LockMode> targets) {
        Map<LockTarget, LockMode> there = locked(targets);
        key.ifPresent(
                only -> there.keySet().removeIf(target -> !space.keyOf(target).equals(only)));
        return there;
    }

    /**
     * Returns the locks of a request by name, as {@link LockPlan} has it; nothing of a target that is too deep to be locked
     * here.
     */
    Map<LockTarget, LockMode> locked(Map<LockTarget, LockMode> targets) {
        Map<LockTarget, LockMode> all = new HashMap<>();
        for (Entry<LockTarget, LockMode> entry : targets.entrySet()) {
            List<LockTarget> ancestors = entry.getKey().ancestors();
            if (ancestors.stream().noneMatch(ancestor -> targets.get(ancestor) == LockMode.EXCLUSIVE)) {
                ancestors.forEach(ancestor -> all.merge(ancestor, LockMode.SHARED, LockMode::strongest));
                all.merge(entry.getKey(), entry.getValue(), LockMode::strongest);
            }
        }
        all.keySet().removeIf(target -> target.level() >= space.levels());
        return all;
    }
}
