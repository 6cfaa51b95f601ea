package dev.spream.benchmarks.locks;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.Parallel;
import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockPlan;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The rate at which several threads without contention lock and release a resource with its account and its user:
 * spream compared with plain SQL of the same strategy. Goal: 0.9 times its rate.
 */
record LockRate(HikariDataSource database) {
    private static final int LOCKS = Integer.getInteger("locks", 20_000);
    private static final int THREADS = Integer.getInteger("threads", 8);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 7);
    private static final int IDS = 100_000;
    private static final BucketSpace SPACE = new BucketSpace(BucketHash.SHA256, 1 << 20, 3);

    /** Adds the alternatives to be measured. */
    void compare(String title, List<BareLocks> bare, List<NamedLocks> spream) throws Exception {
        Comparison comparison = new Comparison(title + ", threads: " + THREADS, LOCKS);
        for (BareLocks locks : bare) {
            comparison.add(
                    locks.label(),
                    () -> run(request -> locks.lockAndRelease(
                            database, LockPlan.of(request, SPACE).locks())));
        }
        for (NamedLocks locks : spream) {
            comparison.add(
                    "spream, %s, a handle".formatted(locks.name()),
                    () -> run(request -> {
                        locks.locks().acquire(request).close();
                    }));
            comparison.add(
                    "spream, %s, a transaction".formatted(locks.name()),
                    () -> run(request -> {
                        locks.locks().transact(request, connection -> request);
                    }));
        }
        comparison
                .goal("spream at 0.9 or more of the bare SQL of the same strategy")
                .run(WARM_UPS, TURNS);
    }

    private static long run(Locking locking) throws Exception {
        return Parallel.sum(Executors.newFixedThreadPool(THREADS), THREADS, thread -> () -> {
            for (int i = 0; i < LOCKS / THREADS; i++) {
                locking.lock(LockRequest.exclusive(LockTarget.resource(id("u"), id("a"), id("r"))));
            }
            return (long) (LOCKS / THREADS);
        });
    }

    private static String id(String prefix) {
        return prefix + ThreadLocalRandom.current().nextInt(IDS);
    }

    /** The locks of a store, and their name in the table. */
    record NamedLocks(String name, HierarchicalLocks<Connection> locks) {}

    private interface Locking {
        void lock(LockRequest request) throws Exception;
    }
}
