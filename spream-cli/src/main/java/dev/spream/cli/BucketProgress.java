package dev.spream.cli;

import dev.spream.core.DurationText;
import dev.spream.lock.provisioning.BucketProvisioning;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says how far it is with buckets, how fast and how long it will take, on a line that keeps changing if someone watches, and else
 * on a line of its own now and then.
 * Confined to one thread.
 */
final class BucketProgress implements BucketProvisioning.Progress {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long UNWATCHED_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final PrintStream err;
    private final boolean watched;
    private final LongSupplier nanoTime;
    private final long startedAt;
    private long before = -1;
    private long done;
    private long all;
    private long shownAt;
    private boolean shown;

    BucketProgress(PrintStream err, boolean watched) {
        this(err, watched, System::nanoTime);
    }

    BucketProgress(PrintStream err, boolean watched, LongSupplier nanoTime) {
        this.err = err;
        this.watched = watched;
        this.nanoTime = nanoTime;
        this.startedAt = nanoTime.getAsLong();
        this.shownAt = watched ? startedAt - INTERVAL_NANOS : startedAt;
    }

    @Override
    public void reached(long reached, long of) {
        if (before < 0) {
            before = reached; // how many the first chunk made, and how many were there, it does not say
        }
        done = reached;
        all = of;
        long now = nanoTime.getAsLong();
        if (now - shownAt < (watched ? INTERVAL_NANOS : UNWATCHED_INTERVAL_NANOS)) {
            return;
        }
        shownAt = now;
        String line = this + rate() + left();
        if (watched) {
            shown = true;
            err.print("\r%s\033[K".formatted(line));
        } else {
            err.println(line);
        }
        err.flush();
    }

    /** Such as ", 120,000 a second"; empty before the second chunk. */
    String rate() {
        return perSecond() == 0 ? "" : String.format(Locale.ROOT, ", %,d a second", perSecond());
    }

    private long perSecond() {
        long nanos = Math.max(1, nanoTime.getAsLong() - startedAt);
        return Math.round((done - Math.max(0, before)) * 1e9 / nanos);
    }

    private String left() {
        return perSecond() == 0
                ? ""
                : ", %s left".formatted(DurationText.of(Duration.ofSeconds((all - done) / perSecond())));
    }

    /** Wipes the line. Harmless when it is wiped already. */
    void end() {
        if (shown) {
            shown = false;
            err.print("\r\033[K");
            err.flush();
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d of %,d buckets", done, all);
    }
}
