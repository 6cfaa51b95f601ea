package dev.spream.cli.output;

import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A line that shows the progress of work: rewritten on a terminal, otherwise a new line every ten seconds. Confined to
 * one thread.
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

    /** Creates a line on standard error. */
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

    /** Shows the line, unless one was shown a short time ago. */
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

    /** Makes the next line appear at once on a terminal. */
    public void printSoon() {
        shownAt -= watched ? INTERVAL_NANOS : 0;
    }

    /** Returns the rate per second since the start. */
    public long perSecond(long done) {
        return Math.round(done * 1e9 / Math.max(1, nanoTime.getAsLong() - startedAt));
    }

    /** Clears the line. Idempotent. */
    public void end() {
        if (shown) {
            shown = false;
            err.print("\r\033[K");
            err.flush();
        }
    }
}
