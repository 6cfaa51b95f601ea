package dev.spream.cli.lock;

import dev.spream.cli.output.ProgressLine;
import dev.spream.core.DurationText;
import dev.spream.lock.provisioning.BucketProvisioning;
import java.time.Duration;
import java.util.Locale;

/** The progress of creating or checking buckets: count, rate and remaining time. Confined to one thread. */
final class BucketProgress implements BucketProvisioning.Progress, AutoCloseable {
    private final ProgressLine line;
    private long before = -1;
    private long done;
    private long all;

    BucketProgress(ProgressLine line) {
        this.line = line;
        line.printSoon();
    }

    @Override
    public void reached(long reached, long of) {
        if (before < 0) {
            before = reached; // excludes the first chunk, which does not report how many buckets existed before
        }
        done = reached;
        all = of;
        line.show(() -> this + rate() + left());
    }

    /** Returns the rate, such as ", 120,000 a second"; empty before the second chunk. */
    String rate() {
        return perSecond() == 0 ? "" : String.format(Locale.ROOT, ", %,d a second", perSecond());
    }

    private long perSecond() {
        return line.perSecond(done - Math.max(0, before));
    }

    private String left() {
        return perSecond() == 0
                ? ""
                : ", %s left".formatted(DurationText.of(Duration.ofSeconds((all - done) / perSecond())));
    }

    @Override
    public void close() {
        line.end();
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%,d of %,d buckets", done, all);
    }
}
