package dev.spream.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.LockStore;
import dev.spream.testkit.lock.ForwardingLockStore;
import dev.spream.testkit.lock.LockScenario;
import dev.spream.testkit.lock.LockStoreContract;
import dev.spream.testkit.lock.LockStoreFixture;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The contract's own tests: a store that does not keep a promise fails the test of that promise. */
final class LockStoreContractTest {
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final Duration BRIEF = Duration.ofSeconds(2);
    private static final int SETS = 500;

    @Test
    void a_store_that_keeps_the_contract_fails_nothing() {
        assertThat(failures(contractTests(), () -> new InMemoryLockFixture(ForwardingLockStore::new), TIMEOUT))
                .isEmpty();
    }

    @Test
    void a_store_that_locks_nothing_fails_all_but_what_only_asks_to_get_in() {
        Set<String> asking = Set.of(
                "a_handle_that_would_wait_for_a_transaction_of_its_thread_is_refused_until_that_ends",
                "epochs_grow_over_handles_and_processes",
                "a_loss_of_the_locks_is_reported_when_the_handle_is_closed",
                "a_task_that_finds_no_connection_is_not_run",
                "a_try_that_finds_no_connection_is_empty_and_holds_nothing",
                "requests_that_name_targets_in_reversed_order_do_not_deadlock",
                "shared_locks_do_not_block_shared_locks",
                "work_asks_for_more_by_the_owner_that_has_the_locks",
                "work_that_commits_by_itself_is_refused",
                "work_that_throws_frees_the_locks");
        List<Method> passing = contractTests().stream()
                .filter(test -> asking.contains(test.getName()))
                .toList();
        List<Method> failing = contractTests().stream()
                .filter(test -> !asking.contains(test.getName()))
                .toList();
        Supplier<InMemoryLockFixture> lockNothing = () -> new InMemoryLockFixture(SpoiltLockStores.LocksNothing::new);
        assertThat(passing).hasSameSizeAs(asking);
        assertThat(failures(passing, lockNothing, TIMEOUT)).isEmpty();
        assertThat(failures(failing, lockNothing, BRIEF)).hasSameSizeAs(failing);
    }

    @Test
    void a_store_that_mixes_up_modes_fails() {
        requireCaught(
                SpoiltLockStores.ForgetsSharedLocks::new,
                "a_shared_target_blocks_exclusive_ones_at_it_and_above_it",
                "exclusive_targets_block_one_another_exactly_along_one_path",
                "random_sets_over_five_buckets_exclude_each_other_and_never_deadlock");
        requireCaught(
                SpoiltLockStores.SharesNothing::new,
                "shared_locks_do_not_block_shared_locks",
                "exclusive_targets_block_one_another_exactly_along_one_path");
    }

    @Test
    void a_store_that_takes_locks_in_reversed_order_fails() {
        requireCaught(
                SpoiltLockStores.TakesLocksInReversedOrder::new,
                "locks_are_taken_in_the_order_of_buckets_where_ids_have_another");
    }

    @Test
    void a_store_that_keeps_locks_after_a_failure_fails() {
        requireCaught(
                SpoiltLockStores.KeepsLocksAfterFailure::new,
                "a_timeout_in_a_transaction_of_the_callers_leaves_nothing_held_before_that_one_ends",
                "an_interrupted_call_in_the_callers_transaction_holds_nothing_before_that_ends");
        requireCaught(
                SpoiltLockStores.LeaksHandles::new,
                "a_timeout_at_the_second_of_three_locks_leaves_nothing_held",
                "try_lock_returns_at_once_and_holds_nothing_if_blocked",
                "work_that_throws_frees_the_locks");
    }

    @Test
    void a_store_that_waits_too_long_fails() {
        requireCaught(
                SpoiltLockStores.IgnoresDeadlines::new,
                "a_timeout_at_the_second_of_three_locks_leaves_nothing_held",
                "a_deadline_counts_for_all_locks_of_a_call_together",
                "a_deadline_is_kept_to");
        requireCaught(SpoiltLockStores.CountsTimeOnce::new, "time_that_one_lock_has_taken_is_not_left_for_the_next");
        requireCaught(
                SpoiltLockStores.WaitsWhereItShouldTry::new,
                "try_lock_returns_at_once_and_holds_nothing_if_blocked",
                "a_busy_lock_is_named_with_what_was_asked_for");
    }

    @Test
    void a_store_whose_connections_all_wait_fails() {
        requireCaught(
                SpoiltLockStores.LetsAllWait::new,
                "calls_that_wait_for_one_lock_leave_connections_and_have_it_in_their_order",
                "calls_that_wait_for_many_locks_leave_connections_and_take_turns",
                "a_call_that_waits_with_the_only_connection_gives_it_to_one_that_does_not");
    }

    @Test
    void a_store_that_forgets_former_holders_fails() {
        requireCaught(SpoiltLockStores.CountsEpochsAlone::new, "epochs_grow_over_handles_and_processes");
        requireCaught(
                SpoiltLockStores.NeverNoticesALoss::new,
                "a_handle_whose_connection_is_lost_is_notified_and_its_locks_are_free",
                "a_loss_of_the_locks_is_reported_when_the_handle_is_closed");
    }

    @Test
    void a_store_whose_processes_do_not_meet_fails() {
        requireCaught(
                () -> new InMemoryLockFixture(true),
                "processes_exclude_each_other",
                "exclusive_targets_block_one_another_exactly_along_one_path");
    }

    private static void requireCaught(UnaryOperator<LockStore<Transaction>> spoiler, String... tests) {
        requireCaught(() -> new InMemoryLockFixture(spoiler), tests);
    }

    private static void requireCaught(Supplier<InMemoryLockFixture> fixtures, String... tests) {
        Set<String> names = Set.of(tests);
        List<Method> chosen = contractTests().stream()
                .filter(test -> names.contains(test.getName()))
                .toList();
        assertThat(failures(chosen, fixtures, BRIEF)).containsExactlyInAnyOrder(tests);
    }

    /** The names of the tests that fail, or do not end in time. */
    private static Set<String> failures(List<Method> tests, Supplier<InMemoryLockFixture> fixtures, Duration limit) {
        Map<String, Future<Boolean>> runs = new TreeMap<>();
        Set<String> failed = new TreeSet<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            tests.forEach(test -> runs.put(test.getName(), threads.submit(new Run(test, fixtures))));
            long end = System.nanoTime() + limit.toNanos();
            runs.forEach((name, run) -> {
                if (!passes(run, end - System.nanoTime())) {
                    failed.add(name);
                }
            });
            threads.shutdownNow();
        }
        return failed;
    }

    private static boolean passes(Future<Boolean> run, long nanos) {
        try {
            return run.get(Math.max(1, nanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (Exception e) {
            throw new AssertionError("cannot run a test of the contract", e);
        }
    }

    private static List<Method> contractTests() {
        List<Method> tests = Arrays.stream(LockStoreContract.class.getMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .peek(method -> method.setAccessible(true)) // of interfaces that are not public
                .toList();
        assertThat(tests).hasSizeGreaterThan(35);
        return tests;
    }

    private record Run(Method test, Supplier<InMemoryLockFixture> fixtures) implements Callable<Boolean> {
        @Override
        public Boolean call() throws Exception {
            InMemoryContract contract = new InMemoryContract(fixtures);
            contract.openStore();
            try {
                test.invoke(contract);
                return true;
            } catch (InvocationTargetException e) {
                return false;
            } finally {
                contract.closeStore();
            }
        }
    }

    private static final class InMemoryContract extends LockStoreContract<Transaction> {
        private final Supplier<InMemoryLockFixture> fixtures;

        InMemoryContract(Supplier<InMemoryLockFixture> fixtures) {
            this.fixtures = fixtures;
        }

        @Override
        protected LockStoreFixture<Transaction> createFixture() {
            return fixtures.get();
        }

        @Override
        protected LockScenario<Transaction> newScenario(LockStoreFixture<Transaction> over) {
            return new LockScenario<>(over, SETS);
        }
    }
}
