package dev.spream.cli.outbox;

import dev.spream.cli.output.ProgressLine;
import java.util.Locale;

/** The progress of a removal: count and rate. Confined to one thread. */
final class RemovalProgress implements AutoCloseable {
    private final ProgressLine line;
    private final String what;
    private long sum;

    /** @param what the removed things, such as {@code entries} */
    RemovalProgress(ProgressLine line, String what) {
        this.line = line;
        this.what = what;
    }

    void removed(int more) {
        sum += more;
        line.show(() -> String.format(Locale.ROOT, "removed %,d %s, %,d a second", sum, what, line.perSecond(sum)));
    }

    long sum() {
        return sum;
    }

    @Override
    public void close() {
        line.end();
    }
}
