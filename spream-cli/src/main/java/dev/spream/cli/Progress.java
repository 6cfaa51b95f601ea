package dev.spream.cli;

import dev.spream.core.partition.EndProof;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SubscriptionListener;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells a person who watches, in one line that keeps changing, how far a subscription has come. Safe for use by many
 * threads.
 */
final class Progress implements SubscriptionListener {
    private static final long REFRESH_MILLIS = 250;
    private static final String START_OF_CLEARED_LINE = "\r\u001b[K";

    private final PrintStream terminal;
    private final InstantSource clock;
    private final Instant started;
    private final LongAdder records = new LongAdder();
    private final Set<PartitionToken> open = ConcurrentHashMap.newKeySet();
    private final ReentrantLock terminalLock = new ReentrantLock();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Thread refreshing;
    private volatile @Nullable Instant lowWatermark;

    Progress(PrintStream terminal, InstantSource clock) {
        this.terminal = terminal;
        this.clock = clock;
        started = clock.instant();
    }

    /** Keeps the line up to date from now on. */
    void show() {
        refreshing = Thread.ofVirtual().name("spream-progress").start(this::refresh);
    }

    /** The stream, with the line wiped before each write: both may end on the same terminal. */
    OutputStream wipingBefore(OutputStream out) {
        return new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                terminalLock.lock();
                try {
                    print(START_OF_CLEARED_LINE);
                    out.write(bytes, offset, length);
                } finally {
                    terminalLock.unlock();
                }
            }
        };
    }

    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        open.add(partition);
    }

    @Override
    public void partitionFinished(PartitionToken partition, EndProof proof) {
        open.remove(partition);
    }

    @Override
    public void partitionReleased(PartitionToken partition) {
        open.remove(partition);
    }

    @Override
    public void leaseLost(PartitionToken partition, long epoch) {
        open.remove(partition);
    }

    @Override
    public void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        records.increment();
    }

    @Override
    public void lowWatermark(Instant lowWatermark) {
        this.lowWatermark = lowWatermark;
    }

    String line() {
        Instant now = clock.instant();
        double seconds = Math.max(1, Duration.between(started, now).toMillis()) / 1_000.0;
        Instant low = lowWatermark;
        return String.format(
                Locale.ROOT,
                "%,d records, %.0f/s, %d partitions open, low watermark behind by %s",
                records.sum(),
                records.sum() / seconds,
                open.size(),
                low == null ? "unknown" : seconds(Duration.between(low, now)));
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1_000.0);
    }

    /** Prints a line that stays, above the one that keeps changing if that is shown. */
    void say(String text) {
        print((refreshing == null ? "" : START_OF_CLEARED_LINE) + text + System.lineSeparator());
    }

    /** Stops, and wipes the line. */
    void end() {
        ended.countDown();
        Thread thread = refreshing;
        if (thread == null) {
            return;
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        print(START_OF_CLEARED_LINE);
    }

    private void refresh() {
        try {
            while (!ended.await(REFRESH_MILLIS, TimeUnit.MILLISECONDS)) {
                print(START_OF_CLEARED_LINE + line());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void print(String text) {
        terminalLock.lock();
        try {
            terminal.print(text);
            terminal.flush();
        } finally {
            terminalLock.unlock();
        }
    }
}
