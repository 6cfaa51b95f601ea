package dev.spream.lock;

import static dev.spream.lock.LockMode.EXCLUSIVE;
import static dev.spream.lock.LockMode.SHARED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map.Entry;
import org.junit.jupiter.api.Test;

/** Tests of the locks that a request needs, and of their order. */
final class LockPlanTest {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, BucketSpace.MAX_BUCKETS, 3);
    private static final BucketSpace ONE_BUCKET = new BucketSpace(BucketHash.SHA256, 1, 3);
    private static final int RUNS = 5_000;

    @Test
    void a_target_is_exclusive_and_its_ancestors_are_shared_from_the_root_down() {
        assertThat(LockPlan.of(LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1")), SPACE)
                        .locks())
                .containsExactly(
                        lock(LockTarget.user("u1"), SHARED),
                        lock(LockTarget.account("u1", "a1"), SHARED),
                        lock(LockTarget.resource("u1", "a1", "r1"), EXCLUSIVE));
    }

    @Test
    void ancestors_of_several_targets_are_locked_once_each() {
        List<PlannedLock> locks = LockPlan.of(
                        LockRequest.exclusive(LockTarget.resources("u1", "a1", List.of("r3", "r1", "r2", "r1"))), SPACE)
                .locks();
        assertThat(locks).hasSize(5).extracting(PlannedLock::key).isSorted();
        assertThat(locks).filteredOn(lock -> lock.mode() == SHARED).hasSize(2);
    }

    @Test
    void targets_that_share_a_bucket_share_the_strongest_mode() {
        LockRequest request = LockRequest.exclusive(LockTarget.user("u1"))
                .and(LockRequest.shared(LockTarget.user("u2")))
                .and(LockRequest.exclusive(LockTarget.account("u2", "a1")));
        assertThat(LockPlan.of(request, ONE_BUCKET).locks())
                .containsExactly(
                        new PlannedLock(new LockKey(0, 0), EXCLUSIVE), new PlannedLock(new LockKey(1, 0), EXCLUSIVE));
    }

    @Test
    void a_target_below_an_exclusive_one_needs_no_lock_of_its_own() {
        LockRequest request = LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1"), LockTarget.user("u1"));
        assertThat(LockPlan.of(request, SPACE).locks()).containsExactly(lock(LockTarget.user("u1"), EXCLUSIVE));
    }

    @Test
    void a_target_below_a_shared_one_needs_its_own_locks() {
        LockRequest request =
                LockRequest.shared(LockTarget.user("u1")).and(LockRequest.exclusive(LockTarget.account("u1", "a1")));
        assertThat(LockPlan.of(request, SPACE).locks())
                .containsExactly(lock(LockTarget.user("u1"), SHARED), lock(LockTarget.account("u1", "a1"), EXCLUSIVE));
    }

    @Test
    void a_target_that_is_deeper_than_the_space_is_refused() {
        assertThatThrownBy(() -> LockPlan.of(LockRequest.exclusive(LockTarget.of("a", "b", "c", "d")), SPACE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a/b/c/d")
                .hasMessageContaining("level 0 to 2");
    }

    @Test
    void every_plan_takes_each_key_once_and_in_the_one_order_of_all() {
        for (long seed = 0; seed < RUNS; seed++) {
            RandomRequests random = new RandomRequests(seed);
            List<PlannedLock> locks =
                    LockPlan.of(random.request(), random.space()).locks();
            for (int i = 1; i < locks.size(); i++) {
                LockKey before = locks.get(i - 1).key();
                LockKey key = locks.get(i).key();
                assertThat(before.level() < key.level()
                                || (before.level() == key.level() && before.bucket() < key.bucket()))
                        .as("seed %d: %s", seed, locks)
                        .isTrue();
            }
        }
    }

    @Test
    void requests_that_exclude_each_other_by_their_paths_meet_at_a_key() {
        int excluding = 0;
        for (long seed = 0; seed < RUNS; seed++) {
            RandomRequests random = new RandomRequests(seed);
            BucketSpace space = random.space();
            LockRequest one = random.request();
            LockRequest other = random.request();
            if (exclude(one, other)) {
                excluding++;
                assertThat(LockPlan.of(one, space)
                                .conflictsWith(LockPlan.of(other, space).locks()))
                        .as("seed %d: %s against %s in %s", seed, one, other, space)
                        .isTrue();
            }
        }
        assertThat(excluding).isBetween(RUNS / 10, RUNS * 9 / 10);
    }

    @Test
    void requests_that_do_not_exclude_each_other_do_not_meet_where_no_bucket_is_shared() {
        BucketSpace wide = new BucketSpace(BucketHash.SHA256, BucketSpace.MAX_BUCKETS, 4);
        for (long seed = 0; seed < RUNS; seed++) {
            RandomRequests random = new RandomRequests(seed);
            LockRequest one = random.request();
            LockRequest other = random.request();
            assertThat(LockPlan.of(one, wide)
                            .conflictsWith(LockPlan.of(other, wide).locks()))
                    .as("seed %d: %s against %s", seed, one, other)
                    .isEqualTo(exclude(one, other));
        }
    }

    static boolean exclude(LockRequest one, LockRequest other) {
        return one.targets().entrySet().stream()
                .anyMatch(mine -> other.targets().entrySet().stream().anyMatch(theirs -> exclude(mine, theirs)));
    }

    private static boolean exclude(Entry<LockTarget, LockMode> one, Entry<LockTarget, LockMode> other) {
        String first = one.getKey() + "/";
        String second = other.getKey() + "/";
        if (first.equals(second)) {
            return one.getValue() == EXCLUSIVE || other.getValue() == EXCLUSIVE;
        }
        return (second.startsWith(first) && one.getValue() == EXCLUSIVE)
                || (first.startsWith(second) && other.getValue() == EXCLUSIVE);
    }

    private static PlannedLock lock(LockTarget target, LockMode mode) {
        return new PlannedLock(SPACE.keyOf(target), mode);
    }
}
