package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockOrderException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockScope;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockWait;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of locks in a transaction of the caller. */
interface TransactionContract<T> extends LockScenario.Stage<T> {
    LockRequest ACCOUNT = LockRequest.exclusive(LockTarget.account("u1", "a1"));

    @Test
    default void locks_of_a_transaction_are_free_when_it_is_committed() throws Exception {
        T own = fixture().beginOwn();
        try {
            given().locks().in(own).acquire(ACCOUNT);
            assertThat(given().others().tryAcquire(ACCOUNT)).isEmpty();
            fixture().commitOwn(own);
            given().others().tryAcquire(ACCOUNT).orElseThrow().close();
        } finally {
            fixture().endOwn(own);
        }
    }

    @Test
    default void locks_of_a_transaction_are_free_when_it_is_rolled_back() throws Exception {
        T own = fixture().beginOwn();
        given().locks().in(own).acquire(ACCOUNT);
        assertThat(given().others().tryAcquire(ACCOUNT)).isEmpty();
        fixture().endOwn(own);
        given().others().tryAcquire(ACCOUNT).orElseThrow().close();
    }

    @Test
    default void a_transaction_waits_for_a_handle_and_a_handle_for_a_transaction() throws Exception {
        T own = fixture().beginOwn();
        LockHandle handle = given().locks().acquire(ACCOUNT);
        String holder = given().session();
        try (LockAttempt<String> joined = given().attempt(() -> {
            given().others().in(own).acquire(ACCOUNT);
            return given().session();
        })) {
            joined.requireBlockedBy(holder);
            handle.close();
            String joinedSession = joined.result();
            try (LockAttempt<LockHandle> next =
                    given().attempt(() -> given().locks().acquire(ACCOUNT))) {
                next.requireBlockedBy(joinedSession);
                fixture().commitOwn(own);
                next.result().close();
            }
        } finally {
            fixture().endOwn(own);
        }
    }

    @Test
    default void what_a_transaction_took_bit_by_bit_is_free_at_once() throws Exception {
        T own = fixture().beginOwn();
        LockScope scope = given().locks().in(own);
        List<LockTarget> three = WaitContract.threeInOrder();
        for (LockTarget target : three) {
            scope.acquire(LockRequest.exclusive(target));
        }
        for (LockTarget target : three) {
            assertThat(given().others().tryAcquire(LockRequest.exclusive(target)))
                    .isEmpty();
        }
        fixture().endOwn(own);
        given().others()
                .tryAcquire(LockRequest.exclusive(LockTarget.user("u1")))
                .orElseThrow()
                .close();
    }

    @Test
    default void what_goes_back_in_the_order_is_refused_in_a_second_call_too() throws Exception {
        T own = fixture().beginOwn();
        List<LockTarget> targets = WaitContract.threeInOrder();
        LockRequest shared = LockRequest.shared(targets.get(1));
        given().locks().in(own).acquire(shared);
        for (LockTarget late : List.of(targets.get(0), targets.get(1))) {
            assertThatThrownBy(() -> given().locks().in(own).acquire(LockRequest.exclusive(late)))
                    .isInstanceOf(LockOrderException.class);
        }
        assertThat(given().others().tryAcquire(LockRequest.exclusive(targets.get(1))))
                .as("held still")
                .isEmpty();
        given().locks().in(own).acquire(shared);
        given().locks().in(own).acquire(LockRequest.exclusive(targets.get(2)));
        assertThat(given().others().tryAcquire(LockRequest.shared(targets.get(2))))
                .isEmpty();
        fixture().commitOwn(own);
        fixture().endOwn(own);
    }

    @Test
    default void what_is_held_exclusively_stays_so_when_it_is_asked_for_again() throws Exception {
        T own = fixture().beginOwn();
        LockTarget user = LockTarget.user("u1");
        for (LockRequest request :
                List.of(LockRequest.exclusive(user), LockRequest.shared(user), LockRequest.exclusive(user))) {
            given().locks().in(own).acquire(request);
            assertThat(given().others().tryAcquire(LockRequest.shared(user))).isEmpty();
        }
        fixture().commitOwn(own);
        fixture().endOwn(own);
    }

    @Test
    default void a_handle_that_would_wait_for_a_transaction_of_its_thread_is_refused_until_that_ends()
            throws Exception {
        T own = fixture().beginOwn();
        given().locks().in(own).acquire(ACCOUNT);
        assertThatThrownBy(() -> given().locks().acquire(ACCOUNT))
                .isInstanceOf(LockOrderException.class)
                .hasMessageContaining("wait for itself");
        fixture().commitOwn(own);
        given().locks().acquire(ACCOUNT).close();
        fixture().endOwn(own);
    }

    @Test
    default void a_failed_scope_reports_that_its_transaction_was_rolled_back() throws Exception {
        T own = fixture().beginOwn();
        LockScope scope = given().locks().in(own);
        try (LockHandle handle = given().others().acquire(ACCOUNT)) {
            assertThatThrownBy(() -> scope.acquire(ACCOUNT, LockWait.NONE)).isInstanceOf(LockBusyException.class);
        }
        assertThatThrownBy(() -> scope.acquire(ACCOUNT))
                .isInstanceOf(LockStoreException.class)
                .hasMessageContaining("rolled the transaction back")
                .hasMessageContaining("begin another");
        fixture().endOwn(own);
    }
}
