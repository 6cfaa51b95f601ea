package dev.spream.cli;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.io.PrintStream;
import java.util.Locale;

/** Counts what a consumer takes of a replay, on a line that keeps changing if someone watches. Confined to one thread. */
final class ReplayProgress implements Consumer {
    private static final long INTERVAL_NANOS = 200_000_000;

    private final Consumer consumer;
    private final PrintStream err;
    private final boolean watched;
    private int taken;
    private long shownAt = System.nanoTime();
    private boolean shown;

    ReplayProgress(Consumer consumer, PrintStream err, boolean watched) {
        this.consumer = consumer;
        this.err = err;
        this.watched = watched;
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        consumer.consume(change, delivery);
        taken++;
        long now = System.nanoTime();
        if (watched && now - shownAt >= INTERVAL_NANOS) {
            shownAt = now;
            shown = true;
            err.print(String.format(Locale.ROOT, "\rreplayed %d, at %s\033[K", taken, change.commitTimestamp()));
            err.flush();
        }
    }

    @Override
    public void flush() throws Exception {
        consumer.flush();
    }

    void end() {
        if (shown) {
            err.print("\r\033[K");
            err.flush();
        }
    }
}
