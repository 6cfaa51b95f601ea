package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import dev.spream.outbox.worker.OutboxListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * Publishes the events of an outbox worker to a Micrometer registry. Every meter carries the tag {@code outbox}; no tag
 * contains an entry, a key or a receiver, see {@code ./spream outbox list} for those. All meters are registered on
 * creation, with every value of their tags. The state of the outbox is not queried; samples are passed to {@link
 * #sampled}.
 *
 * <p>One instance serves one worker; several share a registry under different names. Safe for use by many threads.
 */
public final class OutboxMetrics implements OutboxListener {
    /** The number of attempts with a tag value of their own; later ones share the last value. */
    private static final int ATTEMPTS = 5;

    private final Meters meters;
    private final Timer claims;
    private final Timer sends;
    private final Timer queries;
    private final Timer commits;
    private final Counter claimed;
    private final Counter leasesExpired;
    private final Counter synchronised;
    private final Counter conflicts;
    private final Meters.Tagged processed;
    private final Meters.Tagged retries;
    private final Meters.Tagged lost;
    private final Counter expired;
    private final Meters.Tagged removed;
    private final Counter breakerOpened;
    private final Counter storeFailures;
    private final OutboxGauges gauges;

    /** Claims in progress; true once the outcome is known. */
    private final Map<OutboxClaim.Ref, Boolean> answered = new ConcurrentHashMap<>();

    private OutboxMetrics(Meters meters) {
        this.meters = meters;
        this.claims = latency("claim");
        this.sends = latency("send");
        this.queries = latency("query");
        this.commits = latency("commit");
        this.claimed = meters.counter("outbox.claimed", "Entries that this worker claimed.");
        this.leasesExpired = meters.counter(
                "outbox.lock.lease.expired",
                "Entries that this worker claimed after the lease of another worker had expired.");
        this.synchronised = meters.counter(
                "outbox.synchronised", "Entries settled without sending because the ledger already had their answer.");
        this.conflicts = meters.counter(
                "outbox.conflicts",
                "Entries aborted because the ledger had a different request under their idempotency key.");
        this.processed = meters.counters(
                "outbox.processed",
                "Ended claims, by outcome.",
                "outcome",
                List.of("succeeded", "failed", "parked", "aborted", "released"));
        this.retries = meters.counters(
                "outbox.retry",
                "Failed attempts that will be retried, by number of the attempt.",
                "attempt",
                IntStream.rangeClosed(1, ATTEMPTS + 1)
                        .mapToObj(OutboxMetrics::attempt)
                        .toList());
        this.lost = meters.counters(
                "outbox.leases.lost",
                "Claims lost to another worker: while the entry was being sent, or when its outcome was settled,"
                        + " which was refused.",
                "phase",
                List.of("sending", "settling"));
        this.expired = meters.counter("outbox.expired", "Entries that expired before they were sent.");
        this.removed = meters.counters(
                "outbox.removed",
                "Rows that this worker removed after their retention, by history.",
                "history",
                Meters.tags(OutboxHistory.values()));
        this.breakerOpened = meters.counter(
                "outbox.breaker.opened", "Number of times that a circuit breaker of this worker opened.");
        this.storeFailures = meters.counter("outbox.store.failures", "Failed store calls that are retried.");
        this.gauges = new OutboxGauges(meters);
    }

    private Timer latency(String phase) {
        return meters.timer(
                "outbox.latency",
                "Duration of claims, attempts to send, queries and commits of settlements, by phase.",
                "phase",
                phase);
    }

    private static String attempt(int number) {
        return number <= ATTEMPTS ? Integer.toString(Math.max(1, number)) : ATTEMPTS + 1 + "+";
    }

    /**
     * Creates a listener that publishes to the registry.
     *
     * @param outbox the value of the tag
     */
    public static OutboxMetrics of(MeterRegistry registry, String outbox) {
        return new OutboxMetrics(
                new Meters(requireNonNull(registry, "registry"), Tags.of("outbox", requireNonNull(outbox, "outbox"))));
    }

    /**
     * Publishes a sample of the outbox, to be taken periodically from its operations. Gauges keep their values until
     * the next sample; {@code outbox.sample.age} reports its age.
     */
    public void sampled(OutboxStats stats) {
        gauges.sampled(stats);
    }

    @Override
    public void claimed(ClaimResult result, Duration took) {
        claims.record(took);
        claimed.increment(result.claims().size());
        leasesExpired.increment(result.leasesExpired());
        synchronised.increment(result.synchronised());
        conflicts.increment(result.conflicts());
    }

    @Override
    public void enqueued(List<OutboxClaim> claims) {
        claimed.increment(claims.size());
    }

    @Override
    public void sending(OutboxClaim claim) {
        gauges.sending.incrementAndGet();
        answered.put(claim.ref(), false);
    }

    @Override
    public void sent(OutboxClaim claim, SendOutcome outcome, boolean queried, Duration took) {
        gauges.sending.decrementAndGet();
        (queried ? queries : sends).record(took);
        answered.computeIfPresent(claim.ref(), (ref, before) -> true); // not of a claim that was lost meanwhile
    }

    @Override
    public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
        answered.remove(claim.ref());
        switch (settlement) {
            case Settlement.Succeeded done -> processed.of("succeeded").increment();
            case Settlement.Failed again -> {
                processed.of("failed").increment();
                retries.of(attempt(claim.attempt())).increment();
            }
            case Settlement.Parked waits -> processed.of("parked").increment();
            case Settlement.Aborted over -> processed.of("aborted").increment();
            case Settlement.Released back -> processed.of("released").increment();
        }
    }

    @Override
    public void committed(int settlements, Duration took) {
        commits.record(took);
    }

    @Override
    public void leaseLost(OutboxClaim claim) {
        lost.of(Boolean.TRUE.equals(answered.remove(claim.ref())) ? "settling" : "sending")
                .increment();
    }

    @Override
    public void expired(int entries) {
        expired.increment(entries);
    }

    @Override
    public void removed(OutboxHistory part, int rows) {
        removed.of(part).increment(rows);
    }

    @Override
    public void breakerOpened(String destination, int failures, Duration pause) {
        breakerOpened.increment();
        gauges.openBreakers.add(destination);
    }

    @Override
    public void breakerClosed(String destination) {
        gauges.openBreakers.remove(destination);
    }

    @Override
    public void storeFailed(StorageException failure) {
        storeFailures.increment();
    }
}
