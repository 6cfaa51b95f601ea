package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.lock.LockException;
import dev.spream.lock.LockListener;
import dev.spream.lock.LockRequest;
import dev.spream.lock.PlannedLock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Publishes the events of hierarchical locks to a Micrometer registry. Every meter carries the tag {@code locks}; no
 * tag contains a target or a bucket, see {@code ./spream locks list} for those. All meters are registered on creation,
 * with every value of their tags.
 *
 * <p>One instance serves the locks of one store; several share a registry under different names. Safe for use by many
 * threads.
 */
public final class LockMetrics implements LockListener {
    private final Map<LockOutcome, Timer> acquire = new EnumMap<>(LockOutcome.class); // unmodified after construction
    private final Counter waits;
    private final Timer held;
    private final Counter lost;
    private final AtomicInteger open = new AtomicInteger();

    private LockMetrics(MeterRegistry registry, String locks) {
        Meters meters = new Meters(registry, Tags.of("locks", requireNonNull(locks, "locks")));
        for (LockOutcome outcome : LockOutcome.values()) {
            acquire.put(
                    outcome,
                    meters.timer(
                            "spream.locks.acquire",
                            "Duration of acquire calls until the locks were granted or the call failed, by outcome.",
                            "outcome",
                            Meters.tag(outcome)));
        }
        this.waits = meters.counter(
                "spream.locks.waits", "Acquire calls that had to wait for another holder, whatever their outcome.");
        this.held = meters.timer("spream.locks.held", "Time that handles held their locks until they released them.");
        this.lost = meters.counter("spream.locks.lost", "Handles that lost their locks before releasing them.");
        meters.gauge("spream.locks.handles", "Open handles; each uses one connection.", open::get);
    }

    /**
     * Creates a listener that publishes to the registry.
     *
     * @param locks the value of the tag
     */
    public static LockMetrics of(MeterRegistry registry, String locks) {
        return new LockMetrics(requireNonNull(registry, "registry"), locks);
    }

    @Override
    public void waiting(LockRequest request, PlannedLock next) {
        waits.increment();
    }

    @Override
    public void acquired(LockRequest request, int locks, Duration took, boolean waited) {
        record(waited ? LockOutcome.WAITED : LockOutcome.ACQUIRED, took);
    }

    @Override
    public void failed(LockRequest request, LockException failure, Duration took) {
        record(LockOutcome.of(failure), took);
    }

    private void record(LockOutcome outcome, Duration took) {
        requireNonNull(acquire.get(outcome)).record(took);
    }

    @Override
    public void opened(LockRequest request) {
        open.incrementAndGet();
    }

    @Override
    public void closed() {
        open.decrementAndGet();
    }

    @Override
    public void released(LockRequest request, Duration heldFor) {
        held.record(heldFor);
    }

    @Override
    public void lost(LockRequest request, Duration heldFor) {
        lost.increment();
    }
}
