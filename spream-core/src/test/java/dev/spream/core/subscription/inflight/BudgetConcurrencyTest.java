package dev.spream.core.subscription.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.TaskGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Many partitions at one small budget, each with a reader that acquires and threads that release; some readers are
 * interrupted, some partitions stopped. All remaining readers make progress, and at the end everything is released.
 */
class BudgetConcurrencyTest {
    private static final int PARTITIONS = 24;
    private static final int CHANGES = 300;
    private static final int MAX_CHANGES = 10;
    private static final long MAX_BYTES = 1_000;
    private static final long LARGEST = 1_500; // more than there is

    private final Budget budget = new Budget(MAX_CHANGES, MAX_BYTES);
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong mostHeld = new AtomicLong();

    @Test
    void every_partition_proceeds_within_the_budget_and_all_of_it_is_released() throws InterruptedException {
        for (long seed = 1; seed <= 20; seed++) {
            List<CompletableFuture<Void>> partitions = new ArrayList<>();
            for (int p = 0; p < PARTITIONS; p++) {
                Random random = new Random(seed * PARTITIONS + p);
                partitions.add(inBackground(() -> readPartition(random)));
            }
            bounded(CompletableFuture.allOf(partitions.toArray(CompletableFuture[]::new)), seed);

            assertThat(held).as("held, seed %d", seed).hasValue(0);
            assertThat(mostHeld.get()).as("seed %d", seed).isLessThanOrEqualTo(MAX_CHANGES + PARTITIONS);
            bounded(inBackground(this::takeTheWhole), seed);
        }
    }

    private void readPartition(Random random) throws InterruptedException {
        Budget.Share share = budget.open();
        List<Thread> settling = new ArrayList<>();
        int stopAfter = random.nextInt(4) == 0 ? random.nextInt(CHANGES) : CHANGES;
        for (int i = 0; i < CHANGES; i++) {
            if (i == stopAfter) {
                settling.add(Thread.ofVirtual().start(share::stop));
            }
            if (random.nextInt(20) == 0) {
                Thread reader = Thread.currentThread();
                settling.add(Thread.ofVirtual().start(reader::interrupt));
            }
            long size = random.nextInt(10) == 0 ? random.nextLong(LARGEST) : random.nextLong(MAX_BYTES / MAX_CHANGES);
            if (acquire(share, size)) {
                mostHeld.accumulateAndGet(held.incrementAndGet(), Math::max);
                settling.add(Thread.ofVirtual().start(() -> {
                    held.decrementAndGet();
                    share.release(size);
                }));
            }
        }
        for (Thread thread : settling) {
            joinThoughInterrupted(thread);
        }
        share.close();
    }

    private static boolean acquire(Budget.Share share, long size) {
        try {
            return share.acquire(size);
        } catch (InterruptedException e) {
            return false; // and nothing is held for it, as the end shows
        }
    }

    private static void joinThoughInterrupted(Thread thread) {
        while (true) {
            try {
                thread.join();
                return;
            } catch (InterruptedException e) {
                // One of the interrupts that this test sends.
            }
        }
    }

    private void takeTheWhole() throws InterruptedException {
        Budget.Share share = budget.open();
        for (int i = 0; i < MAX_CHANGES; i++) {
            assertThat(share.acquire(MAX_BYTES / MAX_CHANGES)).isTrue();
        }
        share.close();
    }

    private static CompletableFuture<Void> inBackground(TaskGroup.Task task) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                task.run();
                ended.complete(null);
            } catch (Throwable t) {
                ended.completeExceptionally(t);
            }
        });
        return ended;
    }

    private static void bounded(CompletableFuture<Void> ended, long seed) {
        try {
            ended.orTimeout(30, TimeUnit.SECONDS).join();
        } catch (RuntimeException e) {
            throw new AssertionError("seed " + seed, e.getCause());
        }
    }
}
