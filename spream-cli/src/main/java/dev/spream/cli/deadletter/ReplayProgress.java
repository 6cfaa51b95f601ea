package dev.spream.cli.deadletter;

import dev.spream.cli.output.ProgressLine;
import dev.spream.core.record.RecordIdentity;
import java.util.Locale;
import java.util.function.Consumer;

/** Counts the letters that were replayed, on a terminal that is watched. Confined to one thread. */
final class ReplayProgress implements Consumer<RecordIdentity> {
    private final ProgressLine line = new ProgressLine(System.err, true, System::nanoTime);
    private final boolean watched;
    private int replayed;

    ReplayProgress(boolean watched) {
        this.watched = watched;
    }

    @Override
    public void accept(RecordIdentity letter) {
        replayed++;
        if (watched) {
            line.show(() -> String.format(Locale.ROOT, "replayed %d, at %s", replayed, letter.commitTimestamp()));
        }
    }

    void end() {
        line.end();
    }
}
