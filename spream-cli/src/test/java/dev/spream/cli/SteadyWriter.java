package dev.spream.cli;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** Writes revisions of random rows on a thread of its own, again and again, until it is closed. */
final class SteadyWriter implements AutoCloseable {
    /** Writes, or deletes, a row. */
    interface Write {
        void write(int row, long revision, RandomGenerator random);
    }

    private final Thread thread;
    private volatile long written;
    private volatile boolean stopping;

    /**
     * @param rows the number of rows; the first revision of each is 2
     * @param pause between two writes
     */
    SteadyWriter(long seed, int rows, Duration pause, Write write) {
        this.thread =
                Thread.ofVirtual().name("steady-writer").start(() -> writeAll(new Random(seed), rows, pause, write));
    }

    private void writeAll(Random random, int rows, Duration pause, Write write) {
        Map<Integer, Long> revisions = new HashMap<>();
        while (!stopping) {
            int row = random.nextInt(rows);
            write.write(row, revisions.merge(row, 2L, (before, two) -> before + 1), random);
            written++;
            LockSupport.parkNanos(pause.toNanos());
        }
    }

    long written() {
        return written;
    }

    /** Returns after the last write. */
    @Override
    public void close() throws InterruptedException {
        stopping = true;
        thread.join();
    }
}
