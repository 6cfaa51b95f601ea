package dev.spream.outbox.worker;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.TaskGroup;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The life of an entry in a worker: claimed, attempted, settled. Safe for use by many threads.
 *
 * <pre>
 * claimed ─── takes a slot ──▶ attempted, on a thread of its own ─── gives the slot back ──▶ submitted ──▶ settled
 *                                  │                                                            │
 *                                  └──────────── the lease is over, or another's ───────────────┴──▶ lost
 * </pre>
 *
 * <p>From the claim until it is settled or lost a claim is in the {@link ActiveClaims}, which renews its lease. When it leaves, the
 * next claim follows: of the ordering key, by the {@link OrderedClaimPlanner}; of an entry that failed, when it is due again.
 */
final class EntryLifecycle {
    private final Attempts attempts;
    private final SettlementWriter writer;
    private final ActiveClaims book;
    private final OrderedClaimPlanner plan;
    private final WorkerEvents events;
    private final WorkerSignals signals;
    private final TaskGroup sending;
    private final String threadName;
    private final int mostHeld;
    private final ConcurrencyLimit slots;
    private final DueTimes dueTimes = new DueTimes();

    /** @param sending runs an attempt a thread, and reports what the worker does not survive */
    EntryLifecycle(
            Attempts attempts,
            SettlementWriter writer,
            ActiveClaims book,
            OrderedClaimPlanner plan,
            OutboxWorkerOptions options,
            WorkerEvents events,
            WorkerSignals signals,
            TaskGroup sending) {
        this.attempts = attempts;
        this.writer = writer;
        this.book = book;
        this.plan = plan;
        this.events = events;
        this.signals = signals;
        this.sending = sending;
        this.threadName = options.threadName("send");
        this.mostHeld = 2 * (options.concurrency() + options.batch());
        this.slots = new ConcurrencyLimit(options.concurrency(), signals.claims);
    }

    /** For how many entries there is room; if there is none, claiming is woken when there is. */
    int room() {
        int room = roomNow();
        if (room > 0) {
            return room;
        }
        slots.want();
        return roomNow();
    }

    private int roomNow() {
        return Math.min(slots.free(), mostHeld - book.size());
    }

    /** Returns the times at which entries that failed here are due again. */
    DueTimes dueTimes() {
        return dueTimes;
    }

    /** Returns whether no attempt is under way. */
    boolean isIdle() {
        return slots.isEmpty();
    }

    /**
     * Begins the attempts of claims; there was room for them.
     *
     * @param askedAt just before they were asked for, by the worker's clock
     * @param probe whether the circuit breaker waits for their outcome
     */
    void claimed(ClaimResult result, long askedAt, LocalLease lease, boolean probe) {
        Duration took = Duration.ofNanos(signals.now() - askedAt);
        events.publish(listener -> listener.claimed(result, took));
        for (OutboxClaim claim : result.claims()) {
            ActiveClaim held = new ActiveClaim(claim, probe, askedAt, lease);
            book.add(held);
            slots.take();
            sending.start(threadName, () -> attempt(held));
        }
    }

    private void attempt(ActiveClaim held) {
        try {
            Optional<Settlement> settlement = attempts.run(held);
            if (settlement.isPresent()) {
                writer.submit(held, settlement.get());
            } else {
                lost(held);
            }
        } finally {
            slots.giveBack();
            if (!signals.isRunning()) {
                signals.runner.signal();
            }
        }
    }

    /** The store has answered to settlements; the lost ones were of claims that were not the worker's any more. */
    void ended(List<SettlementWriter.Pending> settled, List<SettlementWriter.Pending> lost) {
        settled.forEach(this::settled);
        lost.forEach(pending -> lost(pending.held()));
        slots.signal();
        if (plan.readyKeys() > 0) {
            signals.claims.signal();
        }
        if (plan.hasStaleKeys()) {
            signals.reader.signal();
        }
        if (plan.hasIdleToLeave()) {
            signals.maintenance.signal();
        }
    }

    private void settled(SettlementWriter.Pending pending) {
        OutboxClaim claim = pending.held().claim();
        Settlement settlement = pending.settlement();
        long now = signals.now();
        if (claim.entry().orderingKey().isPresent()) {
            plan.settled(claim, settlement, now);
        } else if (settlement instanceof Settlement.Failed failed) {
            dueAgain(now + failed.delay().toNanos());
        } else if (settlement instanceof Settlement.Released) {
            dueAgain(now);
        }
        events.settled(claim, settlement, Duration.ofNanos(pending.held().age(now)));
    }

    private void dueAgain(long at) {
        dueTimes.add(at);
        signals.claims.signal();
    }

    private void lost(ActiveClaim held) {
        if (held.revoke()) {
            book.reportLost(held, "its time was over before it was sent");
        }
        if (held.claim().entry().orderingKey().isPresent()) {
            plan.lost(held.claim(), signals.now());
        }
    }
}
