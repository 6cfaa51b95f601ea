package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockLostException;
import dev.spream.lock.LockOrderException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockWait;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of handles: the order of waiters, epochs, and lost connections. */
interface HandleContract<T> extends LockScenario.Stage<T> {
    LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));

    @Test
    default void processes_exclude_each_other() throws Exception {
        try (LockHandle mine = given().locks().acquire(USER)) {
            assertThat(given().others().tryAcquire(USER)).isEmpty();
        }
        try (LockHandle theirs = given().others().acquire(USER)) {
            assertThat(given().locks().tryAcquire(USER)).isEmpty();
        }
    }

    @Test
    default void a_waiting_call_gets_the_lock_when_the_holder_releases_it() throws Exception {
        LockHandle holder = given().locks().acquire(USER);
        String session = given().session();
        try (LockAttempt<LockHandle> next =
                given().attempt(() -> given().others().acquire(USER))) {
            next.requireBlockedBy(session);
            holder.close();
            assertThat(next.result().isHeld()).isTrue();
        }
    }

    @Test
    default void closing_twice_releases_once() throws Exception {
        LockHandle first = given().locks().acquire(USER);
        first.close();
        try (LockHandle next = given().locks().acquire(USER)) {
            first.close();
            assertThat(first.isHeld()).isFalse();
            assertThat(next.isHeld()).isTrue();
            assertThat(given().others().tryAcquire(USER)).isEmpty();
        }
    }

    @Test
    default void epochs_grow_over_handles_and_processes() throws Exception {
        List<Long> epochs = new ArrayList<>();
        for (int turn = 0; turn < 6; turn++) {
            HierarchicalLocks<T> process = turn % 2 == 0 ? given().locks() : given().others();
            try (LockHandle handle = process.acquire(USER)) {
                epochs.add(handle.epoch());
                assertThat(handle.epoch()).isEqualTo(epochs.getLast());
            }
        }
        assertThat(epochs).isSorted().doesNotHaveDuplicates();
    }

    @Test
    default void a_handle_whose_connection_is_lost_is_notified_and_its_locks_are_free() throws Exception {
        LockHandle handle = given().locks().acquire(USER);
        String session = given().session();
        assertThat(handle.isHeld()).isTrue();
        handle.requireHeld();
        try (LockAttempt<LockHandle> next =
                given().attempt(() -> given().others().acquire(USER))) {
            next.requireBlockedBy(session);
            fixture().kill(session);
            assertThat(next.result().isHeld()).isTrue();
            assertThat(handle.isHeld()).isFalse();
            assertThatThrownBy(handle::requireHeld)
                    .isInstanceOf(LockLostException.class)
                    .hasMessageContaining("u1");
            assertThatThrownBy(handle::epoch).isInstanceOf(LockLostException.class);
            assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
            handle.close();
        }
        given().locks().acquire(USER).close();
    }

    @Test
    default void a_loss_of_the_locks_is_reported_when_the_handle_is_closed() throws Exception {
        LockHandle handle = given().locks().acquire(USER);
        fixture().kill(given().session());
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
        given().locks().acquire(USER).close();
    }

    @Test
    default void a_connection_that_is_lost_during_a_wait_fails_that_call() throws Exception {
        try (LockHandle holder = given().locks().acquire(USER)) {
            String session = given().session();
            try (LockAttempt<LockHandle> waiter =
                    given().attempt(() -> given().others().acquire(USER))) {
                waiter.requireBlockedBy(session);
                fixture().kill(waiter.session());
                assertThat(waiter.failure()).isInstanceOf(LockConnectionException.class);
            }
            assertThat(holder.isHeld()).isTrue();
        }
        given().others().acquire(USER).close();
    }

    @Test
    default void what_a_handle_has_costs_nothing_and_more_is_taken_while_the_order_holds() throws Exception {
        LockRequest account = LockRequest.shared(LockTarget.account("u1", "a1"));
        LockRequest more = LockRequest.exclusive(LockTarget.resource("u1", "a1", "r1"));
        try (LockHandle handle = given().locks().acquire(account)) {
            handle.acquire(account, LockWait.NONE);
            handle.acquire(LockRequest.shared(LockTarget.user("u1")), LockWait.NONE);
            given().others().tryAcquire(more).orElseThrow().close();
            handle.acquire(more);
            assertThat(given().others().tryAcquire(more)).isEmpty();
            assertThat(handle.held())
                    .isEqualTo(account.and(LockRequest.shared(LockTarget.user("u1")))
                            .and(more));
            assertThatThrownBy(() -> handle.acquire(LockRequest.exclusive(LockTarget.user("u0"))))
                    .isInstanceOf(LockOrderException.class);
            assertThat(handle.isHeld()).isTrue();
        }
    }

    @Test
    default void a_shared_lock_is_not_made_exclusive_and_stays_held() throws Exception {
        try (LockHandle handle = given().locks().acquire(LockRequest.shared(LockTarget.user("u1")))) {
            assertThatThrownBy(() -> handle.acquire(USER))
                    .isInstanceOf(LockOrderException.class)
                    .hasMessageContaining("u1");
            assertThat(handle.isHeld()).isTrue();
            assertThat(given().others().tryAcquire(USER)).isEmpty();
        }
    }

    @Test
    default void a_thread_that_would_wait_for_itself_is_refused() throws Exception {
        try (LockHandle mine = given().locks().acquire(LockRequest.shared(LockTarget.account("u1", "a1")))) {
            assertThatThrownBy(() -> given().locks().acquire(USER))
                    .isInstanceOf(LockOrderException.class)
                    .hasMessageContaining("u1/a1")
                    .hasMessageContaining("this thread");
            T own = fixture().beginOwn();
            assertThatThrownBy(() -> given().locks().in(own).acquire(USER)).isInstanceOf(LockOrderException.class);
            fixture().endOwn(own);
            assertThat(given().locks().tryAcquire(USER)).isEmpty();
            assertThat(mine.isHeld()).isTrue();
            given().locks().acquire(LockRequest.shared(LockTarget.user("u1"))).close();
        }
        given().locks().acquire(USER).close();
    }
}
