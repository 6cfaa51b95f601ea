package dev.spream.outbox.worker;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.StorageException;
import dev.spream.core.internal.LocalLease;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxSegmentLease;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Claims entries of one sender as capacity becomes free, on a thread of its own. It does not pause while claims return as many
 * entries as requested; otherwise it waits until it is called, the next entry is due, or the poll
 * interval has elapsed.
 *
 * <p>Entries with and without an ordering key share the capacity: half each while there are both, and in turns if only
 * one entry can be claimed.
 */
final class ClaimLoop {
    /** The minimum time between two looks for the time at which the next entry is due. */
    private static final long LOOK_AHEAD_GAP = TimeUnit.MILLISECONDS.toNanos(50);

    private final WorkerStore store;
    private final String destination;
    private final OrderedClaimPlanner plan;
    private final OutboxSegmentKeeper segments;
    private final CircuitBreaker breaker;
    private final EntryLifecycle entries;
    private final int batch;
    private final long pollInterval;
    private final RandomGenerator random;
    private final WorkerSignals signals;
    private volatile boolean called = true;
    private volatile boolean backlog = true; // written by the thread of the loop

    // Confined to the thread.
    private boolean look;
    private boolean orderedTurn;
    private long nextLook;
    private boolean looksAhead;
    private long nextLookAhead;

    ClaimLoop(
            WorkerStore store,
            String destination,
            OrderedClaimPlanner plan,
            OutboxSegmentKeeper segments,
            CircuitBreaker breaker,
            EntryLifecycle entries,
            OutboxWorkerOptions options,
            RandomGenerator random,
            WorkerSignals signals) {
        this.store = store;
        this.destination = destination;
        this.plan = plan;
        this.segments = segments;
        this.breaker = breaker;
        this.entries = entries;
        this.batch = options.batch();
        this.pollInterval = options.pollInterval().toNanos();
        this.random = random;
        this.signals = signals;
        this.nextLook = signals.now();
        this.nextLookAhead = nextLook;
    }

    /** Requests a claim, since entries may have been enqueued. Called by any thread. */
    void call() {
        called = true;
        signals.claims.signal();
    }

    /** Returns whether the last claim returned as many entries as requested, so that more are probably due. */
    boolean hasBacklog() {
        return backlog;
    }

    void run() throws InterruptedException {
        ExponentialBackoff backoff = new ExponentialBackoff(Duration.ofMillis(50), Duration.ofSeconds(5), random);
        while (signals.isRunning()) {
            try {
                long wait = claimOnce();
                backoff.reset();
                if (wait > 0) {
                    signals.claims.await(wait);
                }
            } catch (StorageException e) {
                waitOut(backoff.next().toNanos());
            }
        }
    }

    /** Waits that long, regardless of signals, unless the worker stops. */
    private void waitOut(long nanos) throws InterruptedException {
        long until = signals.now() + nanos;
        while (signals.isRunning() && until - signals.now() > 0) {
            signals.claims.await(until - signals.now());
        }
    }

    /**
     * Claims as many entries as there is capacity for. Returns the time to wait before the next call, in nanoseconds.
     */
    private long claimOnce() {
        long now = signals.now();
        int allowed = breaker.allowance(now);
        if (allowed == 0) {
            return Math.max(1, breaker.pauseLeft(now));
        }
        noteReasonsToLook(now);
        plan.releaseDue(now);
        boolean ordered = plan.readyKeys() > 0 && segments.areHeld();
        if (!look && !ordered) {
            lookAhead(now);
            return Math.max(1, untilNextReason(now));
        }
        int room = entries.reserve(Math.min(allowed, batch));
        if (room == 0) {
            return pollInterval; // woken earlier when capacity becomes free
        }
        int unused = room;
        try {
            unused -= ordered ? claimOrdered(look ? shareOf(room) : room, allowed) : 0;
            if (look && unused > 0 && !(allowed == 1 && unused < room)) {
                unused -= claimAny(unused, allowed);
            }
        } finally {
            entries.release(unused);
        }
        return 0;
    }

    private void noteReasonsToLook(long now) {
        if (called) {
            called = false;
            look = true;
        }
        look |= now - nextLook >= 0;
        look |= entries.dueTimes().pass(now);
    }

    /** Looks for the time at which the next entry is due, after claims that left none that is due. */
    private void lookAhead(long now) {
        if (looksAhead && now - nextLookAhead >= 0) {
            looksAhead = false;
            nextLookAhead = now + LOOK_AHEAD_GAP;
            store.nextDue(destination)
                    .ifPresent(dueIn -> nextLook = now + Math.min(nextLook - now, TimeUnit.NANOSECONDS.convert(dueIn)));
        }
    }

    private long untilNextReason(long now) {
        long alarm = segments.areHeld() ? plan.nextDue(now) : Long.MAX_VALUE;
        long known = Math.min(Math.min(nextLook - now, entries.dueTimes().next(now)), alarm);
        return looksAhead ? Math.min(known, nextLookAhead - now) : known;
    }

    private int shareOf(int room) {
        orderedTurn = !orderedTurn;
        return room > 1 ? room / 2 : orderedTurn ? 1 : 0;
    }

    /** Returns the number of claimed entries. */
    private int claimAny(int limit, int allowed) {
        long askedAt = signals.now();
        LocalLease lease = store.requestLease();
        ClaimResult result = store.claim(destination, limit);
        if (result.claims().size() + result.synchronised() + result.conflicts() < limit) {
            look = false;
            nextLook = signals.now() + pollInterval;
            looksAhead = true;
        }
        backlog = look;
        claimed(result, askedAt, lease, allowed);
        return result.claims().size();
    }

    /** Claims the first entries of at most that many keys; returns the number of claimed entries. */
    private int claimOrdered(int limit, int allowed) {
        long askedAt = signals.now();
        LocalLease lease = store.requestLease();
        List<OrderedClaimPlanner.Head> heads = limit > 0 ? plan.take(limit, askedAt) : List.of();
        if (heads.isEmpty()) {
            return 0;
        }
        ClaimResult result;
        try {
            result = claimHeads(heads);
        } catch (StorageException e) {
            plan.refused(heads);
            throw e;
        }
        Set<Long> given = new HashSet<>();
        result.claims().forEach(claim -> given.add(claim.entry().id()));
        List<OrderedClaimPlanner.Head> notGiven =
                heads.stream().filter(head -> !given.contains(head.id())).toList();
        if (!notGiven.isEmpty()) {
            plan.refused(notGiven);
            signals.reader.signal();
        }
        claimed(result, askedAt, lease, allowed);
        return given.size();
    }

    private ClaimResult claimHeads(List<OrderedClaimPlanner.Head> heads) {
        Set<OutboxSegmentLease> leases = new HashSet<>();
        heads.forEach(head -> leases.add(head.segment()));
        List<Long> ids = heads.stream().map(OrderedClaimPlanner.Head::id).toList();
        return store.claimOrdered(leases, ids);
    }

    private void claimed(ClaimResult result, long askedAt, LocalLease lease, int allowed) {
        boolean probe = allowed != CircuitBreaker.UNLIMITED;
        if (probe && !result.claims().isEmpty()) {
            breaker.probe();
        }
        entries.claimed(result, askedAt, lease, probe);
    }
}
