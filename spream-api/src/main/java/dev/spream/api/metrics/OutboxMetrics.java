package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxListener;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Publishes what the worker of an outbox does to a Micrometer registry. Every meter carries the tag {@code outbox}; no tag
 * ever names an entry, a key or a receiver: {@code ./spream outbox list} does. All exist from the beginning, with every value
 * that a tag can have. What is in the outbox is not asked for by this: whoever samples it says so to {@link #sampled}.
 *
 * <p>One is for one worker; several share a registry under different names. Safe for use by many threads.
 */
public final class OutboxMetrics implements OutboxListener {
    private final OutboxCounters counters;
    private final OutboxTimers timers;
    private final OutboxGauges gauges;

    /** Claims that were tried and have not ended, and whether the outcome is known. */
    private final Map<OutboxClaim.Ref, Boolean> answered = new ConcurrentHashMap<>();

    private OutboxMetrics(MeterRegistry registry, Tags tags) {
        this.counters = new OutboxCounters(registry, tags);
        this.timers = OutboxTimers.of(registry, tags);
        this.gauges = new OutboxGauges(registry, tags);
    }

    /**
     * A listener that publishes to the registry.
     *
     * @param outbox the value of the tag
     */
    public static OutboxMetrics of(MeterRegistry registry, String outbox) {
        return new OutboxMetrics(
                requireNonNull(registry, "registry"), Tags.of("outbox", requireNonNull(outbox, "outbox")));
    }

    /**
     * What is in the outbox now. To be called now and then, by whoever has its operations. The gauges of it keep their values until
     * the next sample, and {@code outbox.sample.age} says how old they are.
     */
    public void sampled(OutboxStats stats) {
        gauges.sampled(stats);
    }

    @Override
    public void claimed(ClaimResult result, Duration took) {
        timers.claim().record(took);
        counters.claimed(result);
    }

    @Override
    public void sending(OutboxClaim claim) {
        gauges.started();
        answered.put(claim.ref(), false);
    }

    @Override
    public void sent(OutboxClaim claim, SendOutcome outcome, boolean queried, Duration took) {
        gauges.ended();
        (queried ? timers.query() : timers.send()).record(took);
        answered.computeIfPresent(claim.ref(), (ref, before) -> true); // not of a claim that was lost meanwhile
    }

    @Override
    public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
        answered.remove(claim.ref());
        counters.settled(claim, settlement);
    }

    @Override
    public void committed(int settlements, Duration took) {
        timers.commit().record(took);
    }

    @Override
    public void leaseLost(OutboxClaim claim) {
        counters.leaseLost(Boolean.TRUE.equals(answered.remove(claim.ref())));
    }

    @Override
    public void expired(int entries) {
        counters.expired(entries);
    }

    @Override
    public void removed(OutboxHistory part, int rows) {
        counters.removed(part, rows);
    }

    @Override
    public void breakerOpened(int failures, Duration pause) {
        counters.breakerOpened();
        gauges.breaker(true);
    }

    @Override
    public void breakerClosed() {
        gauges.breaker(false);
    }

    @Override
    public void storeFailed(StorageException failure) {
        counters.storeFailed();
    }
}
