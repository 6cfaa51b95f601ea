package dev.spream.cli.subscription;

import dev.spream.core.DurationText;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;

/** Informs the user once that the subscription starts in the future. Safe for use by many threads. */
final class FutureStart implements SubscriptionListener {
    /** The tolerated difference between the clocks of this machine and the server. */
    static final Duration TOLERANCE = Duration.ofSeconds(2);

    private final Consumer<String> terminal;
    private final InstantSource clock;
    private boolean said; // guarded by this

    FutureStart(Consumer<String> terminal, InstantSource clock) {
        this.terminal = terminal;
        this.clock = clock;
    }

    @Override
    public void waitingForStart(Instant start) {
        print(start);
    }

    /** Called for a subscription that was stored before. */
    @Override
    public void partitionAcquired(PartitionToken partition, long epoch, Instant watermark) {
        print(watermark);
    }

    private synchronized void print(Instant watermark) {
        Duration left = Duration.between(clock.instant(), watermark);
        if (!said && left.compareTo(TOLERANCE) > 0) {
            said = true;
            terminal.accept("the start is in the future: waiting until %s, for %s; nothing is read before"
                    .formatted(watermark, DurationText.of(left)));
        }
    }
}
