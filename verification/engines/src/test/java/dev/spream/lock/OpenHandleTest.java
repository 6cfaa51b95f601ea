package dev.spream.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.testkit.lock.ForwardingLockStore;
import dev.spream.testkit.memory.InMemoryLockStore;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of handles whose locks are lost at an inconvenient moment, and of the notifications. */
@Timeout(60)
final class OpenHandleTest {
    private static final LockRequest USER = LockRequest.exclusive(LockTarget.user("u1"));

    private final InMemoryLockStore memory = InMemoryLockStore.create();
    private final LosingStore store = new LosingStore(memory);
    private final Told told = new Told();
    private final HierarchicalLocks<Transaction> locks =
            HierarchicalLocks.builder(store).listener(told).build();

    @AfterEach
    void close() {
        locks.close();
        memory.close();
    }

    @Test
    void no_epoch_is_given_out_if_the_locks_are_lost_while_it_is_asked_for() throws Exception {
        LockHandle handle = locks.acquire(USER);
        store.losing = true;
        assertThatThrownBy(handle::epoch)
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("there is no epoch, because the locks are no longer held: u1");
        assertThat(store.epochs).as("the number was there").hasSize(1);
        assertThat(handle.isHeld()).isFalse();
        assertThatThrownBy(handle::epoch).isInstanceOf(LockLostException.class);
        assertThat(store.epochs).as("it is not asked for again").hasSize(1);

        store.losing = false;
        try (LockHandle next = locks.acquire(USER)) {
            assertThat(next.epoch()).isGreaterThan(store.epochs.getFirst());
        }
        assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void opening_and_closing_are_told_once_each_whatever_becomes_of_the_locks() throws Exception {
        LockHandle released = locks.acquire(USER);
        released.close();
        released.close();
        assertThat(told.events).containsExactly("opened u1", "released u1", "closed");

        told.events.clear();
        LockHandle lost = locks.acquire(USER);
        memory.kill(store.session());
        assertThat(lost.isHeld()).isFalse();
        assertThat(told.events).containsExactly("opened u1", "lost u1");
        assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);
        lost.close();
        assertThat(told.events).containsExactly("opened u1", "lost u1", "closed");

        told.events.clear();
        LockHandle failed = locks.acquire(LockRequest.shared(LockTarget.user("u1")));
        try (LockHandle holder = locks.acquire(LockRequest.exclusive(LockTarget.account("u1", "a1")))) {
            assertThatThrownBy(() -> failed.acquire(holder.held(), LockWait.NONE))
                    .isInstanceOf(LockException.class);
        }
        failed.close();
        assertThat(told.events)
                .containsExactly("opened u1 (shared)", "opened u1/a1", "released u1/a1", "closed", "closed");

        told.events.clear();
        LockHandle abandoned = locks.acquire(USER);
        locks.close();
        assertThatThrownBy(abandoned::close).isInstanceOf(LockLostException.class);
        assertThat(told.events).containsExactly("opened u1", "lost u1", "closed");
    }

    /** Loses the locks right after it has made an epoch, if it is to. */
    private static final class LosingStore extends ForwardingLockStore<Transaction> {
        private final InMemoryLockStore memory;
        private final List<Long> epochs = new ArrayList<>();
        private boolean losing;
        private @Nullable String session;

        LosingStore(InMemoryLockStore memory) {
            super(memory);
            this.memory = memory;
        }

        String session() {
            return String.valueOf(session);
        }

        @Override
        public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
            AcquiredLocks taken = super.tryLock(transaction, locks);
            session = taken.session();
            return taken;
        }

        @Override
        public long nextEpoch() {
            long next = super.nextEpoch();
            if (losing) {
                epochs.add(next);
                memory.kill(session());
            }
            return next;
        }
    }

    private static final class Told implements LockListener {
        private final List<String> events = new ArrayList<>();

        @Override
        public void opened(LockRequest held) {
            events.add("opened " + held);
        }

        @Override
        public void closed() {
            events.add("closed");
        }

        @Override
        public void released(LockRequest held, Duration heldFor) {
            events.add("released " + held);
        }

        @Override
        public void lost(LockRequest held, Duration heldFor) {
            events.add("lost " + held);
        }
    }
}
