package dev.spream.outbox;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.StorageException;
import dev.spream.core.internal.LocalLease;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Claims entries as room for them comes free, on a thread of its own. While claims come back full it does not pause; when there
 * is nothing, it waits until it is called, an entry is due that failed here, or the poll interval is over.
 *
 * <p>Entries with an ordering key and those without share the room: half each while there are both, and a single place in turns.
 */
final class ClaimLoop {
    private final WorkerContext context;
    private final KeyPlan plan;
    private final LaneKeeper lanes;
    private final LeaseBook book;
    private final Breaker breaker;
    private final DueTimes dueTimes;
    private final Slots slots;
    private final Consumer<HeldClaim> start;
    private final KeyReader reader;
    private final int mostHeld;
    private volatile boolean called = true;

    // Confined to the thread.
    private boolean look;
    private boolean orderedTurn;
    private long nextLook;

    /**
     * A loop over these parts.
     *
     * @param start begins the attempt of a claim; its slot is taken
     * @param reader told when the plan has to be read anew
     */
    ClaimLoop(
            WorkerContext context,
            KeyPlan plan,
            LaneKeeper lanes,
            LeaseBook book,
            Breaker breaker,
            DueTimes dueTimes,
            Slots slots,
            Consumer<HeldClaim> start,
            KeyReader reader) {
        this.context = context;
        this.plan = plan;
        this.lanes = lanes;
        this.book = book;
        this.breaker = breaker;
        this.dueTimes = dueTimes;
        this.slots = slots;
        this.start = start;
        this.reader = reader;
        this.mostHeld = 2 * (context.options().concurrency() + context.options().batch());
        this.nextLook = context.now();
    }

    /** Something may have been enqueued. Called by any thread. */
    void call() {
        called = true;
        context.claimsWake().raise();
    }

    /** Claims until the worker stops. */
    void run() throws InterruptedException {
        ExponentialBackoff backoff =
                new ExponentialBackoff(Duration.ofMillis(50), Duration.ofSeconds(5), context.random());
        while (context.stop().isRunning()) {
            try {
                long wait = claimOnce();
                backoff.reset();
                if (wait > 0) {
                    context.claimsWake().await(wait);
                }
            } catch (StorageException e) {
                waitOut(backoff.next().toNanos());
            }
        }
    }

    /** Waits, whoever calls. */
    private void waitOut(long nanos) throws InterruptedException {
        long until = context.now() + nanos;
        while (context.stop().isRunning() && until - context.now() > 0) {
            context.claimsWake().await(until - context.now());
        }
    }

    /** Claims what there is room for; for how long there is nothing to do then. */
    private long claimOnce() {
        long now = context.now();
        int allowed = breaker.allowance(now);
        if (allowed == 0) {
            return Math.max(1, breaker.pauseLeft(now));
        }
        noteReasonsToLook(now);
        plan.ringDue(now);
        boolean ordered = plan.readyKeys() > 0 && lanes.areHeld();
        if (!look && !ordered) {
            return Math.max(1, untilNextReason(now));
        }
        int room = Math.min(Math.min(allowed, context.options().batch()), room());
        if (room <= 0) {
            return context.options().pollInterval().toNanos(); // or when there is room
        }
        int taken = ordered ? claimOrdered(look ? shareOf(room) : room, allowed) : 0;
        if (look && taken < room && !(allowed == 1 && taken > 0)) {
            claimAny(room - taken, allowed);
        }
        return 0;
    }

    private void noteReasonsToLook(long now) {
        if (called) {
            called = false;
            look = true;
        }
        look |= now - nextLook >= 0;
        look |= dueTimes.pass(now);
    }

    private long untilNextReason(long now) {
        long alarm = lanes.areHeld() ? plan.nextAlarm(now) : Long.MAX_VALUE;
        return Math.min(Math.min(nextLook - now, dueTimes.next(now)), alarm);
    }

    /** For how many entries there is room; asks to be woken when there is none. */
    private int room() {
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

    private int shareOf(int room) {
        orderedTurn = !orderedTurn;
        return room > 1 ? room / 2 : orderedTurn ? 1 : 0;
    }

    private void claimAny(int limit, int allowed) {
        long askedAt = context.now();
        LocalLease lease = context.requestLease();
        ClaimResult result = context.calls()
                .call(
                        "claiming entries",
                        () -> context.store()
                                .claim(context.owner(), limit, context.options().lease()));
        if (result.claims().size() + result.synchronised() + result.conflicts() < limit) {
            look = false;
            nextLook = context.now() + context.options().pollInterval().toNanos();
        }
        claimed(result, askedAt, lease, allowed);
    }

    /** Claims the first entries of as many keys; how many it took of the room. */
    private int claimOrdered(int limit, int allowed) {
        long askedAt = context.now();
        LocalLease lease = context.requestLease();
        List<KeyPlan.Head> heads = limit > 0 ? plan.take(limit, askedAt) : List.of();
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
        List<KeyPlan.Head> notGiven =
                heads.stream().filter(head -> !given.contains(head.id())).toList();
        if (!notGiven.isEmpty()) {
            plan.refused(notGiven);
            reader.hurry();
        }
        claimed(result, askedAt, lease, allowed);
        return given.size();
    }

    private ClaimResult claimHeads(List<KeyPlan.Head> heads) {
        Set<LaneLease> leases = new HashSet<>();
        heads.forEach(head -> leases.add(head.lane()));
        List<Long> ids = heads.stream().map(KeyPlan.Head::id).toList();
        return context.calls()
                .call(
                        "claiming ordered entries",
                        () -> context.store()
                                .claimOrdered(
                                        context.owner(),
                                        leases,
                                        ids,
                                        context.options().lease()));
    }

    private void claimed(ClaimResult result, long askedAt, LocalLease lease, int allowed) {
        Duration took = Duration.ofNanos(context.now() - askedAt);
        context.listener().tell(listener -> listener.claimed(result, took));
        boolean probe = allowed != Breaker.UNLIMITED;
        for (OutboxClaim claim : result.claims()) {
            if (probe) {
                breaker.probe();
            }
            HeldClaim held = new HeldClaim(claim, probe, askedAt, lease);
            book.add(held);
            slots.take();
            start.accept(held);
        }
    }
}
