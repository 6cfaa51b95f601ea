package dev.spream.examples.guide;

import dev.spream.lock.HandleLock;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.lock.TaskLock;
import dev.spream.lock.provisioning.BucketProvisioning;
import dev.spream.storage.jdbc.lock.JdbcLockStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import javax.sql.DataSource;

/** Examples of locks in the forms that other libraries have; see docs/locks.md. */
final class LockExamples {
    private LockExamples() {}

    static void provision(DataSource database) throws InterruptedException {
        try (BucketProvisioning rows = JdbcLockStore.builder(database).provisioning()) {
            rows.provision((done, all) -> System.out.println(done + " of " + all));
        }
    }

    static void task(HierarchicalLocks<Connection> locks, ScheduledExecutorService scheduler, LongConsumer reports) {
        TaskLock report = TaskLock.named("report", Duration.ofMinutes(10), Duration.ofSeconds(30));
        scheduler.scheduleAtFixedRate(
                () -> locks.runOnce(report, handle -> reports.accept(handle.epoch())), 0, 1, TimeUnit.HOURS);
    }

    static void lock(HierarchicalLocks<Connection> locks, LongConsumer rebuild) {
        HandleLock user = locks.asLock(LockRequest.exclusive(LockTarget.user("u1")));
        user.lock();
        try {
            rebuild.accept(user.handle().epoch());
        } finally {
            user.unlock();
        }
    }

    static CompletableFuture<Void> async(HierarchicalLocks<Connection> locks, LongConsumer rebuild) {
        CompletableFuture<LockHandle> handle = locks.acquireAsync(LockRequest.exclusive(LockTarget.user("u1")));
        return handle.orTimeout(5, TimeUnit.SECONDS).thenAccept(held -> {
            try (held) {
                rebuild.accept(held.epoch());
            }
        });
    }
}
