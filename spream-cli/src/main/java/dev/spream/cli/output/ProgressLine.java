package dev.spream.cli.output;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A line about work in progress: one that keeps changing on a terminal that is watched, elsewhere one of its own every ten
 * seconds. Confined to one thread.
 */
public final class ProgressLine {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long UNWATCHED_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final PrintStream err;
    private final boolean watched;
    private final LongSupplier nanoTime;
    private final long startedAt;
    private long shownAt;
    private boolean shown;

    /** On the standard error. */
    public ProgressLine() {
        this(System.err, Terminal.watched(), System::nanoTime);
    }

    public ProgressLine(PrintStream err, boolean watched, LongSupplier nanoTime) {
        this.err = err;
        this.watched = watched;
        this.nanoTime = nanoTime;
        this.startedAt = nanoTime.getAsLong();
        this.shownAt = startedAt;
    }

    /** Shows the line, unless it was shown a short time ago. */
    public void show(Supplier<String> line) {
        long now = nanoTime.getAsLong();
        if (now - shownAt < (watched ? INTERVAL_NANOS : UNWATCHED_INTERVAL_NANOS)) {
            return;
        }
        shownAt = now;
        shown = watched;
        if (watched) {
            err.printf("\r%s\033[K", line.get());
        } else {
            err.println(line.get());
        }
        err.flush();
    }

    /** Has the next line shown at once on a terminal that is watched. */
    public void printSoon() {
        shownAt -= watched ? INTERVAL_NANOS : 0;
    }

    /** How many of so much that was done since the start there were in a second. */
    public long perSecond(long done) {
        return Math.round(done * 1e9 / Math.max(1, nanoTime.getAsLong() - startedAt));
    }

    /** Wipes the line. Harmless when it is wiped already. */
    public void end() {
        if (shown) {
            shown = false;
            err.print("\r\033[K");
            err.flush();
        }
    }
}
