package dev.spream.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests of the locks that an owner still needs, and of those that it may still take. */
final class OwnerLocksTest {
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 251, 3);
    private static final LockTarget USER = LockTarget.user("u1");
    private static final LockTarget ACCOUNT = LockTarget.account("u1", "a1");
    private static final LockTarget RESOURCE = LockTarget.resource("u1", "a1", "r1");
    private static final int RUNS = Integer.getInteger("lock.histories", 1_000);

    private final OwnerLocks held = new OwnerLocks(SPACE);

    @Test
    void held_locks_are_not_taken_again() {
        take(LockRequest.exclusive(ACCOUNT));
        assertThat(held.missing(LockRequest.exclusive(ACCOUNT))).isEmpty();
        assertThat(held.missing(LockRequest.shared(ACCOUNT))).isEmpty();
        assertThat(held.missing(LockRequest.shared(USER))).isEmpty();
        assertThat(held.missing(LockRequest.exclusive(RESOURCE))).isEmpty();
    }

    @Test
    void of_a_request_only_what_is_missing_is_taken() {
        take(LockRequest.shared(USER));
        assertThat(held.missing(LockRequest.exclusive(RESOURCE)))
                .containsExactly(
                        new PlannedLock(SPACE.keyOf(ACCOUNT), LockMode.SHARED),
                        new PlannedLock(SPACE.keyOf(RESOURCE), LockMode.EXCLUSIVE));
    }

    @Test
    void locks_taken_after_the_transaction_was_lent_are_taken_again_in_their_mode() {
        take(LockRequest.shared(USER));
        held.lend();
        take(LockRequest.exclusive(ACCOUNT));
        PlannedLock account = new PlannedLock(SPACE.keyOf(ACCOUNT), LockMode.EXCLUSIVE);
        assertThat(held.missing(LockRequest.shared(USER))).isEmpty();
        for (LockRequest request :
                List.of(LockRequest.exclusive(ACCOUNT), LockRequest.shared(ACCOUNT), LockRequest.exclusive(RESOURCE))) {
            assertThat(held.missing(request)).as("%s", request).containsExactly(account);
        }
        assertThatThrownBy(() -> held.missing(LockRequest.exclusive(USER))).isInstanceOf(LockOrderException.class);
    }

    @Test
    void an_upgrade_is_refused_and_names_both() {
        take(LockRequest.exclusive(RESOURCE));
        assertThatThrownBy(() -> held.missing(LockRequest.exclusive(USER)))
                .isInstanceOf(LockOrderException.class)
                .hasMessageContaining("locking u1:")
                .hasMessageContaining("held shared for u1/a1/r1")
                .hasMessageContaining("in one call");
        assertThat(held.request()).contains(LockRequest.exclusive(RESOURCE));
    }

    @Test
    void going_back_in_the_order_is_refused_and_names_what_is_held() {
        take(LockRequest.exclusive(RESOURCE));
        assertThatThrownBy(() -> held.missing(LockRequest.exclusive(LockTarget.user("u2"))))
                .isInstanceOf(LockOrderException.class)
                .hasMessageContaining("locking u2")
                .hasMessageContaining("u1/a1/r1")
                .hasMessageContaining("in one call");
    }

    @Test
    void nothing_is_held_before_anything_was_taken() {
        assertThat(held.request()).isEmpty();
    }

    private void take(LockRequest request) {
        held.add(request, held.missing(request));
    }

    @Test
    void random_requests_take_the_locks_of_a_model_in_order_and_exclude_conflicting_owners() {
        int refused = 0;
        for (long seed = 0; seed < RUNS; seed++) {
            refused += new Run(seed).play();
        }
        assertThat(refused).isGreaterThan(RUNS / 10);
    }

    /** Four requests of one owner, against a model that keeps keys in a map and looks at every id by itself. */
    private static final class Run {
        final long seed;
        final RandomRequests random;
        final BucketSpace space;
        final OwnerLocks held;
        final Map<LockKey, LockMode> keys = new HashMap<>();
        final Set<LockTarget> exclusive = new HashSet<>();
        final List<LockRequest> taken = new ArrayList<>();
        final List<LockKey> order = new ArrayList<>();

        Run(long seed) {
            this.seed = seed;
            this.random = new RandomRequests(seed);
            this.space = random.space();
            this.held = new OwnerLocks(space);
        }

        int play() {
            int refused = 0;
            for (int call = 0; call < 4; call++) {
                refused += ask(random.request()) ? 0 : 1;
            }
            assertThat(order).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
            requireToExclude(random.request());
            return refused;
        }

        private boolean ask(LockRequest request) {
            Map<LockKey, LockMode> missing = modelOfMissing(request);
            if (mayTake(missing)) {
                List<PlannedLock> locks = held.missing(request);
                assertThat(locks)
                        .as("seed %d, %s", seed, request)
                        .containsExactlyElementsOf(missing.entrySet().stream()
                                .map(entry -> new PlannedLock(entry.getKey(), entry.getValue()))
                                .toList());
                held.add(request, locks);
                remember(request, missing);
                return true;
            }
            assertThatThrownBy(() -> held.missing(request))
                    .as("seed %d, %s", seed, request)
                    .isInstanceOf(LockOrderException.class);
            return false;
        }

        private Map<LockKey, LockMode> modelOfMissing(LockRequest request) {
            Map<LockKey, LockMode> missing = new TreeMap<>();
            Set<LockTarget> covering = new HashSet<>(exclusive);
            request.targets().forEach((target, mode) -> {
                if (mode == LockMode.EXCLUSIVE) {
                    covering.add(target);
                }
            });
            request.targets().forEach((target, mode) -> {
                if (covering.stream().noneMatch(above -> above.isAncestorOf(target))) {
                    target.ancestors().forEach(above -> need(missing, above, LockMode.SHARED));
                    need(missing, target, mode);
                }
            });
            return missing;
        }

        private void need(Map<LockKey, LockMode> missing, LockTarget target, LockMode mode) {
            LockKey key = space.keyOf(target);
            if (keys.get(key) != LockMode.EXCLUSIVE && keys.get(key) != mode) {
                missing.merge(key, mode, LockMode::strongest);
            }
        }

        private boolean mayTake(Map<LockKey, LockMode> missing) {
            return missing.keySet().stream()
                    .allMatch(key -> keys.keySet().stream().allMatch(mine -> mine.compareTo(key) < 0));
        }

        private void remember(LockRequest request, Map<LockKey, LockMode> missing) {
            order.addAll(missing.keySet());
            keys.putAll(missing);
            taken.add(request);
            request.targets().forEach((target, mode) -> {
                if (mode == LockMode.EXCLUSIVE) {
                    exclusive.add(target);
                }
            });
        }

        private void requireToExclude(LockRequest stranger) {
            LockPlan mine = new LockPlan(keys.entrySet().stream()
                    .map(entry -> new PlannedLock(entry.getKey(), entry.getValue()))
                    .toList());
            for (LockRequest request : taken) {
                if (LockPlanTest.exclude(request, stranger)) {
                    assertThat(mine.conflictsWith(LockPlan.of(stranger, space).locks()))
                            .as("seed %d: %s against %s", seed, request, stranger)
                            .isTrue();
                }
            }
        }
    }
}
