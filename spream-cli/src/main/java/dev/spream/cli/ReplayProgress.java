package dev.spream.cli;

import dev.spream.core.record.RecordIdentity;
import java.io.PrintStream;
import java.util.Locale;
import java.util.function.Consumer;

/** Counts the letters that were replayed, on a line that keeps changing if someone watches. Confined to one thread. */
final class ReplayProgress implements Consumer<RecordIdentity> {
    private static final long INTERVAL_NANOS = 200_000_000;

    private final PrintStream err;
    private final boolean watched;
    private int replayed;
    private long shownAt = System.nanoTime();
    private boolean shown;

    ReplayProgress(PrintStream err, boolean watched) {
        this.err = err;
        this.watched = watched;
    }

    @Override
    public void accept(RecordIdentity letter) {
        replayed++;
        long now = System.nanoTime();
        if (watched && now - shownAt >= INTERVAL_NANOS) {
            shownAt = now;
            shown = true;
            err.print(String.format(Locale.ROOT, "\rreplayed %d, at %s\033[K", replayed, letter.commitTimestamp()));
            err.flush();
        }
    }

    void end() {
        if (shown) {
            err.print("\r\033[K");
            err.flush();
        }
    }
}
