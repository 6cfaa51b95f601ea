package dev.spream.outbox.worker;

import dev.spream.core.internal.LocalLease;
import dev.spream.outbox.OutboxClaim;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A claim that a worker holds, with its phase and its deadline by the worker's own clock.
 *
 * <p>Phases: a claim changes between waiting and calling the sender, and ends in settling or lost. Once it is settling,
 * only the store decides whether it was lost. The thread of the attempt changes the phase, other threads interrupt the
 * call or mark the claim as lost; all mutable fields are guarded by {@code this}.
 */
final class ActiveClaim {
    private enum Phase {
        WAITING,
        CALLING,
        SETTLING,
        LOST
    }

    private static final long NEVER = Long.MAX_VALUE;

    private final OutboxClaim claim;
    private final long claimedAt;

    private boolean probe;
    private Phase phase = Phase.WAITING;
    private LocalLease lease;
    private long callUntil;
    private long overdueSince;
    private long warnAfter;
    private boolean timedOut;
    private @Nullable Thread caller;

    /**
     * @param probe whether the circuit breaker waits for its outcome
     * @param claimedAt the time just before the claim was requested, by the worker's clock
     * @param lease the lease, after which the worker has to abandon the claim unless it is renewed
     */
    ActiveClaim(OutboxClaim claim, boolean probe, long claimedAt, LocalLease lease) {
        this.claim = claim;
        this.probe = probe;
        this.claimedAt = claimedAt;
        this.lease = lease;
    }

    OutboxClaim claim() {
        return claim;
    }

    String destination() {
        return claim.entry().destination();
    }

    OutboxClaim.Ref ref() {
        return claim.ref();
    }

    /** Returns whether the circuit breaker still waits for its outcome. */
    synchronized boolean isProbe() {
        return probe;
    }

    /**
     * Acquires the right to report the outcome of the probe to the circuit breaker. Returns true for the first caller
     * if this claim is a probe, and false otherwise.
     */
    synchronized boolean takeProbe() {
        boolean was = probe;
        probe = false;
        return was;
    }

    /** Returns the time since the claim, in nanoseconds. */
    long age(long now) {
        return now - claimedAt;
    }

    /** Returns an estimate of the store's time, never earlier than the actual time. */
    Instant storeTime(long now) {
        return claim.claimedAt().plusNanos(age(now));
    }

    /** Marks the start of a call of the sender on the current thread; returns false if the claim is lost. */
    synchronized boolean startCall(long now, long timeout) {
        if (phase == Phase.LOST || !lease.isHeld()) {
            return false;
        }
        phase = Phase.CALLING;
        timedOut = false;
        callUntil = now + timeout;
        overdueSince = callUntil;
        warnAfter = timeout;
        caller = Thread.currentThread();
        return true;
    }

    /** Marks the end of the call, after which no other thread interrupts the current one. */
    synchronized void endCall() {
        if (phase == Phase.CALLING) {
            phase = Phase.WAITING;
        }
        caller = null;
    }

    /** Returns whether the last call was interrupted because it exceeded its timeout. */
    synchronized boolean hasTimedOut() {
        return timedOut;
    }

    /**
     * Changes the phase to settling, in which only the store decides whether the claim is lost; returns false if it
     * already is.
     */
    synchronized boolean startSettling() {
        if (phase == Phase.LOST) {
            return false;
        }
        phase = Phase.SETTLING;
        return true;
    }

    /** Marks the claim as lost and interrupts its call; returns false if it was lost before or is being settled. */
    synchronized boolean revoke() {
        if (phase == Phase.LOST || phase == Phase.SETTLING) {
            return false;
        }
        phase = Phase.LOST;
        interruptCall();
        return true;
    }

    /** Marks the claim as lost if its lease has expired; returns whether it did. */
    synchronized boolean revokeIfExpired() {
        return !lease.isHeld() && revoke();
    }

    synchronized void interruptCall() {
        if (caller != null) {
            caller.interrupt();
        }
    }

    /**
     * Interrupts the call if it has exceeded its timeout; returns true if it did not return after earlier interrupts
     * and should be reported.
     */
    synchronized boolean interruptIfOverdue(long now) {
        if (phase != Phase.CALLING || now - callUntil < 0) {
            return false;
        }
        boolean first = !timedOut;
        timedOut = true;
        interruptCall();
        callUntil = now + warnAfter;
        warnAfter *= 2;
        return !first;
    }

    /** Returns the time by which the call has exceeded its timeout, in nanoseconds. */
    synchronized long overdue(long now) {
        return now - overdueSince;
    }

    /** Returns the time until the lease or the call has to be checked, in nanoseconds. */
    synchronized long nextCheck(long now) {
        return switch (phase) {
            case WAITING -> lease.left();
            case CALLING -> Math.min(lease.left(), callUntil - now);
            case SETTLING, LOST -> NEVER;
        };
    }

    /** Returns whether the claim is not lost and at most that many nanoseconds of its lease are left. */
    synchronized boolean needsRenewal(long left) {
        return phase != Phase.LOST && lease.left() <= left;
    }

    synchronized void renewed(LocalLease renewal) {
        if (renewal.left() > lease.left()) {
            lease = renewal;
        }
    }
}
