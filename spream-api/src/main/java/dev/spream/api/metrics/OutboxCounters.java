package dev.spream.api.metrics;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.toMap;

import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.Settlement;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The counters of a worker of an outbox. Safe for use by many threads. */
final class OutboxCounters {
    /** Attempts that a tag tells apart; those after the last one share a value. */
    private static final int ATTEMPTS = 5;

    private static final String PROCESSED = "outbox.processed";
    private static final String LOST = "outbox.leases.lost";

    private final MeterRegistry registry;
    private final Tags tags;
    private final Counter claimed;
    private final Counter leasesExpired;
    private final Counter synchronised;
    private final Counter conflicts;
    private final Counter succeeded;
    private final Counter failed;
    private final Counter parked;
    private final Counter aborted;
    private final Counter released;
    private final List<Counter> retries;
    private final Counter lostWhileSending;
    private final Counter lostWhenSettling;
    private final Counter expired;
    private final Map<OutboxHistory, Counter> removed;
    private final Counter breakerOpened;
    private final Counter storeFailures;

    OutboxCounters(MeterRegistry registry, Tags tags) {
        this.registry = registry;
        this.tags = tags;
        this.claimed = counter("outbox.claimed", "Entries that this worker claimed.");
        this.leasesExpired = counter(
                "outbox.lock.lease.expired",
                "Entries that this worker claimed after another's lease on them had run out.");
        this.synchronised = counter(
                "outbox.synchronised", "Entries that were not sent, since the ledger had the answer to them already.");
        this.conflicts = counter(
                "outbox.conflicts", "Entries that were aborted, since the ledger had another request under their key.");
        this.succeeded = processed("succeeded");
        this.failed = processed("failed");
        this.parked = processed("parked");
        this.aborted = processed("aborted");
        this.released = processed("released");
        this.retries = Stream.concat(
                        IntStream.rangeClosed(1, ATTEMPTS).mapToObj(Integer::toString), Stream.of(ATTEMPTS + 1 + "+"))
                .map(this::retry)
                .toList();
        this.lostWhileSending = lost("sending");
        this.lostWhenSettling = lost("settling");
        this.expired =
                counter("outbox.expired", "Entries that were given up before they were sent, since they had expired.");
        this.removed = Arrays.stream(OutboxHistory.values()).collect(toMap(part -> part, this::removed));
        this.breakerOpened = counter(
                "outbox.breaker.opened", "How often nothing was claimed for a while, since nothing got through.");
        this.storeFailures = counter("outbox.store.failures", "Calls to the store that failed and are repeated.");
    }

    private Counter processed(String outcome) {
        return counter(PROCESSED, "Claims that ended, by how.", "outcome", outcome);
    }

    private Counter retry(String attempt) {
        return counter(
                "outbox.retry",
                "Attempts that failed and are to be repeated, by which attempt it was.",
                "attempt",
                attempt);
    }

    private Counter removed(OutboxHistory history) {
        return counter(
                "outbox.removed",
                "Rows that this worker removed since they were older than they are kept, by what they were of.",
                "history",
                history.name().toLowerCase(Locale.ROOT));
    }

    private Counter lost(String phase) {
        return counter(
                LOST,
                "Claims that were another's before they ended: while they were sent, or when the outcome was to be"
                        + " settled, which was refused.",
                "phase",
                phase);
    }

    private Counter counter(String name, String meaning, String... more) {
        return Counter.builder(name).description(meaning).tags(tags.and(more)).register(registry);
    }

    void claimed(ClaimResult result) {
        claimed.increment(result.claims().size());
        leasesExpired.increment(result.leasesExpired());
        synchronised.increment(result.synchronised());
        conflicts.increment(result.conflicts());
    }

    void settled(OutboxClaim claim, Settlement settlement) {
        switch (settlement) {
            case Settlement.Succeeded done -> succeeded.increment();
            case Settlement.Failed again -> {
                failed.increment();
                retries.get(Math.clamp(claim.attempt(), 1, ATTEMPTS + 1) - 1).increment();
            }
            case Settlement.Parked waits -> parked.increment();
            case Settlement.Aborted over -> aborted.increment();
            case Settlement.Released back -> released.increment();
        }
    }

    void leaseLost(boolean answered) {
        (answered ? lostWhenSettling : lostWhileSending).increment();
    }

    void expired(int entries) {
        expired.increment(entries);
    }

    void removed(OutboxHistory history, int rows) {
        requireNonNull(removed.get(history)).increment(rows);
    }

    void breakerOpened() {
        breakerOpened.increment();
    }

    void storeFailed() {
        storeFailures.increment();
    }
}
