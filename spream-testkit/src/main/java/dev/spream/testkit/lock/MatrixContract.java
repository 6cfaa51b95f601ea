package dev.spream.testkit.lock;

import static dev.spream.lock.LockMode.EXCLUSIVE;
import static dev.spream.lock.LockMode.SHARED;
import static dev.spream.testkit.lock.LockScenario.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The matrix of owners that block each other: every pair of two users, their two accounts each, and two resources of
 * each of those.
 */
interface MatrixContract<T> extends LockScenario.Stage<T> {

    @Test
    default void exclusive_targets_block_one_another_exactly_along_one_path() throws Exception {
        requireMatrix(EXCLUSIVE, EXCLUSIVE);
    }

    @Test
    default void a_shared_target_blocks_exclusive_ones_at_it_and_above_it() throws Exception {
        requireMatrix(SHARED, EXCLUSIVE);
    }

    @Test
    default void an_exclusive_target_blocks_shared_ones_at_it_and_below_it() throws Exception {
        requireMatrix(EXCLUSIVE, SHARED);
    }

    @Test
    default void shared_locks_do_not_block_shared_locks() throws Exception {
        requireMatrix(SHARED, SHARED);
    }

    private void requireMatrix(LockMode heldMode, LockMode wantedMode) throws Exception {
        assertThat(targets()).hasSize(14).extracting(LockScenario.WIDE::keyOf).doesNotHaveDuplicates();
        for (LockTarget held : targets()) {
            try (LockHandle holder = given().locks().acquire(request(held, heldMode))) {
                String session = given().session();
                for (LockTarget wanted : targets()) {
                    Set<String> expected = blocks(held, heldMode, wanted, wantedMode) ? Set.of(session) : Set.of();
                    assertThat(blockers(request(wanted, wantedMode)))
                            .as("%s %s held by session %s, %s %s wanted", held, heldMode, session, wanted, wantedMode)
                            .isEqualTo(expected);
                }
            }
        }
    }

    private Set<String> blockers(LockRequest wanted) throws Exception {
        HierarchicalLocks<T> others = given().others();
        try (LockAttempt<LockHandle> attempt = given().attempt(() -> others.acquire(wanted))) {
            return attempt.blockers();
        }
    }

    /**
     * Returns whether two locks conflict, in terms of paths alone: two locks of one target conflict if either is
     * exclusive, and locks of two targets on one path conflict if the upper one is exclusive.
     */
    private static boolean blocks(LockTarget held, LockMode heldMode, LockTarget wanted, LockMode wantedMode) {
        String holder = held + "/";
        String waiter = wanted + "/";
        if (holder.equals(waiter)) {
            return heldMode == EXCLUSIVE || wantedMode == EXCLUSIVE;
        }
        return (waiter.startsWith(holder) && heldMode == EXCLUSIVE)
                || (holder.startsWith(waiter) && wantedMode == EXCLUSIVE);
    }

    private static List<LockTarget> targets() {
        List<LockTarget> targets = new ArrayList<>();
        for (String user : List.of("u1", "u2")) {
            targets.add(LockTarget.user(user));
            for (String account : List.of("a1", "a2")) {
                targets.add(LockTarget.account(user, account));
                targets.addAll(LockTarget.resources(user, account, List.of("r1", "r2")));
            }
        }
        return targets;
    }
}
