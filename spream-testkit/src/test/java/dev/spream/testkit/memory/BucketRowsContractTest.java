package dev.spream.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.AcquiredLocks;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.BucketsNotProvisionedException;
import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockStore;
import dev.spream.lock.PlannedLock;
import dev.spream.testkit.lock.BucketRowsContract;
import dev.spream.testkit.lock.BucketRowsFixture;
import dev.spream.testkit.lock.ForwardingLockStore;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of rows over rows in memory; and a store that takes a missing row for locked fails it. */
@Timeout(60)
final class BucketRowsContractTest {

    @Test
    void a_store_that_notices_missing_rows_keeps_the_contract() throws Exception {
        assertThat(failures(true)).isEmpty();
    }

    @Test
    void a_store_that_takes_a_missing_row_for_locked_fails() throws Exception {
        assertThat(failures(false)).hasSize(2);
    }

    private static Set<String> failures(boolean notices) throws Exception {
        Set<String> failed = new TreeSet<>();
        for (Method test : BucketRowsContract.class.getMethods()) {
            if (test.isAnnotationPresent(Test.class)) {
                Contract contract = new Contract(notices);
                contract.openStore();
                try {
                    Object ignored = test.invoke(contract);
                } catch (InvocationTargetException e) {
                    failed.add(test.getName());
                } finally {
                    contract.closeStore();
                }
            }
        }
        return failed;
    }

    private static final class Contract extends BucketRowsContract<Transaction> {
        private final boolean notices;

        Contract(boolean notices) {
            this.notices = notices;
        }

        @Override
        protected BucketRowsFixture<Transaction> createFixture() {
            Set<LockKey> missing = ConcurrentHashMap.newKeySet();
            return new Fixture(
                    new InMemoryLockFixture(store -> new RowStore(store, notices ? missing : Set.of())), missing);
        }
    }

    private record Fixture(InMemoryLockFixture memory, Set<LockKey> missing) implements BucketRowsFixture<Transaction> {
        @Override
        public LockStore<Transaction> open(BucketSpace space, int handles) {
            return memory.open(space, handles);
        }

        @Override
        public Transaction beginOwn() {
            return memory.beginOwn();
        }

        @Override
        public void commitOwn(Transaction transaction) {
            memory.commitOwn(transaction);
        }

        @Override
        public void endOwn(Transaction transaction) {
            memory.endOwn(transaction);
        }

        @Override
        public Set<String> blockersOf(String session) {
            return memory.blockersOf(session);
        }

        @Override
        public void kill(String session) {
            memory.kill(session);
        }

        @Override
        public void removeBucket(LockKey key) {
            assertThat(missing.add(key)).isTrue();
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private static final class RowStore extends ForwardingLockStore<Transaction> {
        private final Set<LockKey> missing;

        RowStore(LockStore<Transaction> target, Set<LockKey> missing) {
            super(target);
            this.missing = missing;
        }

        @Override
        public AcquiredLocks tryLock(Transaction transaction, List<PlannedLock> locks) {
            AcquiredLocks taken = super.tryLock(transaction, locks);
            requireRows(locks.subList(0, taken.count()));
            return taken;
        }

        @Override
        public void lock(Transaction transaction, List<PlannedLock> locks, LockDeadline deadline)
                throws InterruptedException {
            super.lock(transaction, locks, deadline);
            requireRows(locks);
        }

        private void requireRows(List<PlannedLock> locks) {
            for (PlannedLock lock : locks) {
                if (missing.contains(lock.key())) {
                    throw new BucketsNotProvisionedException("no row for lock " + lock, null);
                }
            }
        }
    }
}
