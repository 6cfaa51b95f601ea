package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.storage.jdbc.lock.JdbcLockStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

final class LockExampleIT {
    private static final LockTarget ACCOUNT = LockTarget.account("u1", "a1");
    private static final LockTarget OF_ANOTHER_USER = LockTarget.account("u2", "a7");

    @Test
    void deposits_wait_while_their_user_is_locked_and_then_all_count() throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            DataSource database = postgres.getPostgresDatabase();
            LockExample.createTable(database);
            try (JdbcLockStore store = JdbcLockStore.builder(database).build();
                    HierarchicalLocks<Connection> locks = HierarchicalLocks.over(store);
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<Long>> deposits = new ArrayList<>();
                try (LockHandle user = locks.acquire(LockRequest.exclusive(LockTarget.user("u1")))) {
                    assertThat(locks.tryAcquire(LockRequest.exclusive(ACCOUNT))).isEmpty();
                    for (int i = 0; i < 20; i++) {
                        deposits.add(threads.submit(() -> LockExample.deposit(locks, ACCOUNT, 5)));
                    }
                    assertThat(LockExample.deposit(locks, OF_ANOTHER_USER, 5)).isEqualTo(5);
                    assertThat(deposits).noneMatch(Future::isDone);
                    user.requireHeld();
                }
                for (Future<Long> deposit : deposits) {
                    deposit.get();
                }
                assertThat(LockExample.deposit(locks, ACCOUNT, 0)).isEqualTo(100);
            }
        }
    }
}
