package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.HandleLock;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockLostException;
import dev.spream.lock.LockOrderException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The contract of {@link HandleLock}, the view as a lock of {@code java.util.concurrent}. */
@SuppressWarnings("LockNotBeforeTry") // what a lock does at each call is what is tested
interface LockViewContract<T> extends LockScenario.Stage<T> {
    LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));

    @Test
    default void a_lock_excludes_other_processes_until_its_last_unlock() throws Exception {
        HandleLock lock = given().locks().asLock(USER);
        lock.lock();
        lock.lockInterruptibly();
        assertThat(lock.tryLock()).isTrue();
        assertThat(lock.tryLock(0, TimeUnit.SECONDS)).isTrue();
        for (int nested = 4; nested > 0; nested--) {
            assertThat(given().others().tryAcquire(USER)).isEmpty();
            assertThat(lock.handle().isHeld()).isTrue();
            lock.unlock();
        }
        given().others().tryAcquire(USER).orElseThrow().close();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThatThrownBy(lock::handle).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    default void a_lock_of_another_thread_is_neither_unlocked_nor_shared() throws Exception {
        HandleLock lock = given().locks().asLock(USER);
        lock.lock();
        try (LockAttempt<Boolean> other = given().attempt(() -> {
            assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
            return lock.tryLock() || lock.tryLock(1, TimeUnit.MILLISECONDS);
        })) {
            assertThat(other.result()).isFalse();
            assertThat(given().others().tryAcquire(USER)).isEmpty();
        }
        try (LockAttempt<Boolean> next = given().attempt(() -> {
            lock.lock();
            lock.unlock();
            return true;
        })) {
            lock.unlock();
            assertThat(next.result()).isTrue();
        }
    }

    @Test
    default void a_lock_that_another_process_holds_is_not_obtained_by_trying() throws Exception {
        HandleLock lock = given().locks().asLock(USER);
        try (LockHandle holder = given().others().acquire(USER)) {
            assertThat(lock.tryLock()).isFalse();
            assertThat(lock.tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isFalse();
        }
        assertThat(lock.tryLock()).isTrue();
        assertThatThrownBy(given().locks().asLock(USER)::lock).isInstanceOf(LockOrderException.class);
        lock.unlock();
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    default void an_interrupt_ends_a_wait_only_where_the_method_says_so() throws Exception {
        HandleLock lock = given().locks().asLock(USER);
        LockHandle holder = given().others().acquire(USER);
        String session = given().session();
        try (LockAttempt<Boolean> interruptible = given().attempt(() -> {
            lock.lockInterruptibly();
            return true;
        })) {
            interruptible.requireBlockedBy(session);
            interruptible.interrupt();
            assertThat(interruptible.failure()).isInstanceOf(InterruptedException.class);
        }
        try (LockAttempt<Boolean> steady = given().attempt(() -> {
            lock.lock();
            try {
                return Thread.interrupted();
            } finally {
                lock.unlock();
            }
        })) {
            steady.requireBlockedBy(session);
            steady.interrupt();
            assertThat(steady.blockers()).containsExactly(session);
            holder.close();
            assertThat(steady.result()).isTrue();
        }
    }

    @Test
    default void a_lock_whose_connection_is_lost_fails_where_it_is_used_and_can_be_locked_again() throws Exception {
        HandleLock lock = given().locks().asLock(USER);
        lock.lock();
        fixture().kill(given().session());
        assertThatThrownBy(lock::lock).isInstanceOf(LockLostException.class);
        assertThat(lock.handle().isHeld()).isFalse();
        assertThatThrownBy(lock::unlock).isInstanceOf(LockLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        lock.lock();
        assertThat(given().others().tryAcquire(USER)).isEmpty();
        lock.unlock();
    }
}
