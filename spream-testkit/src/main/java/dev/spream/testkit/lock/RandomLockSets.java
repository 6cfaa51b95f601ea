package dev.spream.testkit.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A third of the random sets of a run, over one number of buckets. */
final class RandomLockSets<T> {
    private static final int BUCKET_COUNTS = 3;
    private static final int THREADS = 12;
    private static final int MAX_TARGETS = 5;

    private final LockScenario<T> scenario;
    private final BucketSpace space;
    private final long seed;
    private final int sets;
    private final GuardedTargets targets = new GuardedTargets();

    RandomLockSets(LockScenario<T> scenario, int buckets) {
        this.sets = scenario.sets();
        this.scenario = scenario;
        this.space = new BucketSpace(BucketHash.SHA256, buckets, 3);
        this.seed = Long.getLong("locks.seed", System.nanoTime());
    }

    void run() throws Exception {
        int each = Math.max(1, sets / BUCKET_COUNTS / THREADS);
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<Integer>> runs = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                HierarchicalLocks<T> process = scenario.process(thread % 2, space);
                Random random = new Random(seed * THREADS + thread);
                runs.add(threads.submit(() -> lockSets(process, random, each)));
            }
            try {
                for (Future<Integer> run : runs) {
                    assertThat(run.get(20, TimeUnit.MINUTES)).isEqualTo(each);
                }
            } catch (ExecutionException e) {
                throw new AssertionError("failed; repeat with -Dlocks.seed=" + seed, e.getCause());
            } finally {
                threads.shutdownNow();
            }
        }
        targets.requireEveryVisitCounted();
    }

    private int lockSets(HierarchicalLocks<T> process, Random random, int count) throws Exception {
        for (int set = 0; set < count; set++) {
            Map<LockTarget, LockMode> wanted = randomTargets(random);
            try (LockHandle handle = process.acquire(new LockRequest(wanted))) {
                targets.visit(wanted);
            }
        }
        return count;
    }

    private Map<LockTarget, LockMode> randomTargets(Random random) {
        Map<LockTarget, LockMode> wanted = new LinkedHashMap<>();
        int count = 1 + random.nextInt(MAX_TARGETS);
        for (int i = 0; i < count; i++) {
            LockMode mode = random.nextInt(3) == 0 ? LockMode.SHARED : LockMode.EXCLUSIVE;
            wanted.merge(targets.random(random), mode, LockMode::strongest);
        }
        return wanted;
    }
}
