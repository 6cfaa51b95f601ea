package dev.spream.cli;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says how much is removed, and how fast, on a line that keeps changing if someone watches, and else on a line of its own now
 * and then. Confined to one thread.
 */
final class RemovalProgress {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long UNWATCHED_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final PrintStream err;
    private final boolean watched;
    private final String what;
    private final LongSupplier nanoTime;
    private final long startedAt;
    private long shownAt;
    private long sum;
    private boolean shown;

    /** @param what is removed, such as {@code entries} */
    RemovalProgress(PrintStream err, boolean watched, String what) {
        this(err, watched, what, System::nanoTime);
    }

    RemovalProgress(PrintStream err, boolean watched, String what, LongSupplier nanoTime) {
        this.err = err;
        this.watched = watched;
        this.what = what;
        this.nanoTime = nanoTime;
        this.startedAt = nanoTime.getAsLong();
        this.shownAt = startedAt;
    }

    void removed(int more) {
        sum += more;
        long now = nanoTime.getAsLong();
        if (now - shownAt < (watched ? INTERVAL_NANOS : UNWATCHED_INTERVAL_NANOS)) {
            return;
        }
        shownAt = now;
        long perSecond = Math.round(sum * 1e9 / (now - startedAt));
        String line = String.format(Locale.ROOT, "removed %,d %s, %,d a second", sum, what, perSecond);
        if (watched) {
            shown = true;
            err.print("\r%s\033[K".formatted(line));
        } else {
            err.println(line);
        }
        err.flush();
    }

    long sum() {
        return sum;
    }

    /** Wipes the line. Harmless when it is wiped already. */
    void end() {
        if (shown) {
            shown = false;
            err.print("\r\033[K");
            err.flush();
        }
    }
}
