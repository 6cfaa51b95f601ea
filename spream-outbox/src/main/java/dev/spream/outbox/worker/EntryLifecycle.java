package dev.spream.outbox.worker;

import dev.spream.core.internal.LocalLease;
import dev.spream.core.internal.TaskGroup;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * The lifecycle of the entries of one sender in a worker: claimed, attempted, settled. Safe for use by many threads.
 *
 * <pre>
 * claimed ─── takes a slot ──▶ attempted, on a thread of its own ─── gives the slot back ──▶ submitted ──▶ settled
 *                                  │                                                            │
 *                                  └────────── the lease expired or was taken over ─────────────┴──▶ lost
 * </pre>
 *
 * <p>A claim is in the {@link ActiveClaims}, which renews its lease, until it is settled or lost. After that, the next
 * entry of its ordering key is claimed through the {@link OrderedClaimPlanner}, and an entry that failed is claimed again when
 * it is due.
 */
final class EntryLifecycle {
    private static final int ALL_TURNS = 1_000_000;

    private final Attempts attempts;
    private final SettlementWriter writer;
    private final ActiveClaims activeClaims;
    private final OrderedClaimPlanner plan;
    private final HeldSegments segments;
    private final String destination;
    private final SendRate rate;
    private final WorkerEvents events;
    private final WorkerSignals signals;
    private final TaskGroup sending;
    private final String threadName;
    private final int mostHeld;
    private final ConcurrencyLimit slots;
    private final Semaphore turns;
    private final ReadAhead readAhead;
    private final DueTimes dueTimes = new DueTimes();

    EntryLifecycle(
            SenderRoute.Sending sender,
            SenderRoute.Shared worker,
            Attempts attempts,
            OrderedClaimPlanner plan,
            WorkerSignals signals) {
        int concurrency = sender.options().concurrency();
        this.attempts = attempts;
        this.writer = worker.writer();
        this.activeClaims = worker.activeClaims();
        this.plan = plan;
        this.segments = worker.held();
        this.destination = sender.destination();
        this.rate = new SendRate(sender.options().rate(), worker.store().time());
        this.events = worker.events();
        this.signals = signals;
        this.sending = worker.sending();
        this.threadName = sender.threadName(worker.options(), "send");
        this.mostHeld = 2 * (concurrency + worker.options().batch());
        this.turns = new Semaphore(concurrency);
        this.readAhead = new ReadAhead(sender.readsAhead() ? concurrency : 0);
        this.slots = new ConcurrencyLimit(concurrency, signals.claims);
    }

    /**
     * Reserves slots for at most that many entries and returns their number; if it is 0, the claiming thread is woken
     * when capacity becomes free.
     */
    int reserve(int limit) {
        int reserved = reserveNow(limit);
        if (reserved > 0) {
            return reserved;
        }
        slots.want();
        return reserveNow(limit);
    }

    private int reserveNow(int limit) {
        return slots.reserve(
                Math.min(limit, mostHeld - activeClaims.of(destination)), readAhead.entries(signals.now()));
    }

    /** Promises slots to at most that many entries that are about to be enqueued, and returns their number. */
    int promise(int limit) {
        return slots.promise(Math.min(limit, mostHeld - activeClaims.of(destination)));
    }

    /** Takes promised slots back. */
    void withdraw(int promised) {
        slots.withdraw(promised);
    }

    /** Returns reserved slots. */
    void release(int reserved) {
        slots.release(reserved);
    }

    /** Returns the times at which entries that failed in this worker are due again. */
    DueTimes dueTimes() {
        return dueTimes;
    }

    /** Returns whether no attempt is in progress. */
    boolean isIdle() {
        return slots.isIdle();
    }

    /**
     * Starts the attempts of claims, for which slots are reserved.
     *
     * @param askedAt the time just before they were requested, by the worker's clock
     * @param probe whether the claim is a probe of the circuit breaker
     */
    void claimed(ClaimResult result, long askedAt, LocalLease lease, boolean probe) {
        Duration took = Duration.ofNanos(signals.now() - askedAt);
        events.publish(listener -> listener.claimed(result, took));
        if (!result.claims().isEmpty()) {
            readAhead.claimed(took.toNanos());
        }
        slots.use(result.claims().size());
        start(result.claims(), askedAt, lease, probe);
    }

    /**
     * Starts the attempts of entries that were claimed as they were enqueued, and that are committed, in slots that were
     * promised; returns false if the worker has stopped. The slots are used before the worker is seen to run, so that a
     * shutdown waits for the attempts.
     */
    boolean enqueued(List<OutboxClaim> claims, long askedAt, LocalLease lease) {
        slots.usePromised(claims.size());
        if (!signals.isRunning()) {
            claims.forEach(claim -> slots.giveBack());
            signals.runner.signal();
            return false;
        }
        events.publish(listener -> listener.enqueued(claims));
        start(claims, askedAt, lease, false);
        return true;
    }

    private void start(List<OutboxClaim> claims, long askedAt, LocalLease lease, boolean probe) {
        for (OutboxClaim claim : claims) {
            ActiveClaim held = new ActiveClaim(claim, probe, askedAt, lease);
            activeClaims.add(held);
            sending.start(threadName, () -> attempt(held));
        }
    }

    private void attempt(ActiveClaim held) throws InterruptedException {
        try {
            Optional<Settlement> settlement = attemptInTurn(held);
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

    private Optional<Settlement> attemptInTurn(ActiveClaim held) throws InterruptedException {
        turns.acquire();
        try {
            rate.await();
            long startedAt = signals.now();
            Optional<Settlement> settlement = attempts.run(held);
            if (settlement.isPresent() && !(settlement.get() instanceof Settlement.Released)) {
                long now = signals.now();
                readAhead.attempted(now - startedAt, now);
            }
            return settlement;
        } finally {
            turns.release();
        }
    }

    /** Ends the turns of a worker that has stopped: entries that wait for one are released at once, and not sent. */
    void endTurns() {
        if (turns.availablePermits() < ALL_TURNS) {
            turns.release(ALL_TURNS);
        }
        rate.end();
    }

    /** Completes claims whose settlements the store has confirmed, and those that the store reports as lost. */
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
        if (segments.hasIdleToLeave()) {
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
            activeClaims.reportLost(held, "the lease expired before the entry was sent");
        }
        if (held.claim().entry().orderingKey().isPresent()) {
            plan.lost(held.claim(), signals.now());
        }
    }
}
