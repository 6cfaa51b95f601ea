package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockLostException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockScope;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.LockWait;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of work in the transaction that holds the locks. */
interface WorkContract<T> extends LockScenario.Stage<T> {
    LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));

    @Test
    default void work_is_done_under_the_locks_and_they_are_free_after_it() throws Exception {
        String result = given().locks().transact(USER, transaction -> {
            assertThat(given().store().isAlive(transaction)).isTrue();
            return isFreeForOthers() ? "free" : "locked";
        });
        assertThat(result).isEqualTo("locked");
        assertThat(isFreeForOthers()).isTrue();
    }

    @Test
    default void work_without_a_result_is_done_under_the_locks_and_may_throw() throws Exception {
        List<Boolean> free = new ArrayList<>();
        given().locks().transactWithoutResult(USER, transaction -> free.add(isFreeForOthers()));
        assertThatThrownBy(() -> given().locks().transactWithoutResult(USER, LockWait.NONE, transaction -> {
                    free.add(isFreeForOthers());
                    throw new IOException("no");
                }))
                .isInstanceOf(IOException.class);
        free.add(isFreeForOthers());
        assertThat(free).containsExactly(false, false, true);
    }

    @Test
    default void work_that_throws_frees_the_locks() throws Exception {
        assertThatThrownBy(() -> given().locks().transact(USER, transaction -> {
                    throw new IOException("no");
                }))
                .isInstanceOf(IOException.class);
        assertThat(isFreeForOthers()).isTrue();
    }

    @Test
    default void work_that_commits_by_itself_is_refused() {
        assertThatThrownBy(() -> given().locks().transact(USER, transaction -> {
                    fixture().commitOwn(transaction);
                    return "done";
                }))
                .isInstanceOf(LockStoreException.class);
        assertThat(isFreeForOthers()).isTrue();
    }

    @Test
    default void work_that_continues_after_a_failed_lock_is_not_committed() throws Exception {
        LockKey own = LockScenario.WIDE.keyOf(USER.targets().keySet().iterator().next());
        LockRequest other = LockRequest.exclusive(IntStream.range(0, 1_000)
                .mapToObj(i -> LockTarget.user("other " + i))
                .filter(target -> LockScenario.WIDE.keyOf(target).compareTo(own) > 0)
                .findFirst()
                .orElseThrow());
        try (LockHandle holder = given().others().acquire(other)) {
            assertThatThrownBy(() -> given().locks().transact(USER, transaction -> {
                        LockScope scope = given().locks().in(transaction);
                        assertThatThrownBy(() -> scope.acquire(other, LockWait.NONE))
                                .isInstanceOf(LockBusyException.class);
                        return "done";
                    }))
                    .isInstanceOf(LockLostException.class)
                    .hasMessageContaining("rolled back");
        }
    }

    @Test
    default void work_asks_for_more_by_the_owner_that_has_the_locks() throws Exception {
        String result = given().locks().transact(USER, transaction -> {
            given().locks().in(transaction).acquire(USER);
            return "reentrant";
        });
        assertThat(result).isEqualTo("reentrant");
    }

    @Test
    default void a_transaction_that_met_a_deadlock_is_run_again_a_few_times() throws Exception {
        List<T> transactions = new ArrayList<>();
        String result = given().locks().transact(USER, transaction -> {
            transactions.add(transaction);
            assertThat(isFreeForOthers()).isFalse();
            if (transactions.size() < 3) {
                throw new LockDeadlockException("the first two", null);
            }
            return "done";
        });
        assertThat(result).isEqualTo("done");
        assertThat(transactions).hasSize(3);

        List<T> inVain = new ArrayList<>();
        assertThatThrownBy(() -> given().locks().transact(USER, transaction -> {
                    inVain.add(transaction);
                    throw new LockDeadlockException("always", null);
                }))
                .isInstanceOf(LockDeadlockException.class);
        assertThat(inVain).hasSize(3);
        assertThat(isFreeForOthers()).isTrue();
    }

    @Test
    default void a_timeout_is_not_tried_again() throws Exception {
        try (LockHandle holder = given().others().acquire(USER)) {
            List<T> transactions = new ArrayList<>();
            assertThatThrownBy(() -> given().locks().transact(USER, WaitContract.BRIEFLY, transactions::add))
                    .isInstanceOf(LockTimeoutException.class);
            assertThat(transactions).isEmpty();
        }
    }

    private boolean isFreeForOthers() {
        try {
            return given().others()
                    .tryAcquire(USER)
                    .map(handle -> {
                        handle.close();
                        return true;
                    })
                    .orElse(false);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
