package dev.spream.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.testkit.lock.ForwardingLockStore;
import dev.spream.testkit.memory.InMemoryLockStore;
import dev.spream.testkit.memory.InMemoryLockStore.Transaction;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LockEngineTest {

    @Test
    void no_more_transactions_of_callers_are_remembered_than_there_are_connections() {
        try (InMemoryLockStore memory = InMemoryLockStore.create()) {
            LockStore<Transaction> pool = new ForwardingLockStore<>(memory) {
                @Override
                public Object connectionOf(Transaction transaction) {
                    return this;
                }
            };
            LockEngine<Transaction> engine = new LockEngine<>(
                    pool,
                    new LockOptions(
                            LockWait.FOREVER,
                            1,
                            List.of(),
                            "process",
                            "",
                            Duration.ofSeconds(1),
                            Duration.ZERO,
                            InstantSource.system()));
            List<Transaction> kept = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Transaction transaction = memory.begin();
                kept.add(transaction);
                assertThat(engine.join(transaction).transaction()).isSameAs(transaction);
            }
            assertThat(engine.remembered()).isEqualTo(1);
            engine.watch().close();
            kept.forEach(memory::rollback);
        }
    }
}
