package dev.spream.outbox.worker;

import dev.spream.core.internal.LocalLease;
import dev.spream.outbox.OutboxClaim;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A claim that a worker holds: its state, and its deadline by the worker's own clock.
 *
 * <p>It goes from waiting to being in a call of the sender, back, and to being settled; or it is lost on the way. From its
 * settlement on, only the store says whether it was lost. The thread of the attempt moves it, and others interrupt the call or
 * lose the claim; so all that changes is guarded by {@code this}.
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
     * @param claimedAt just before it was asked for, by the worker's clock
     * @param lease when the worker has to leave it, unless it is renewed
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

    OutboxClaim.Ref ref() {
        return claim.ref();
    }

    /** Returns whether the circuit breaker still waits for its outcome. */
    synchronized boolean isProbe() {
        return probe;
    }

    /** Takes it upon the caller to tell the circuit breaker what came of the probe; true for one caller, if it is one. */
    synchronized boolean takeProbe() {
        boolean was = probe;
        probe = false;
        return was;
    }

    /** How long ago it was claimed, in nanoseconds. */
    long age(long now) {
        return now - claimedAt;
    }

    /** The store's time, or a little after it. */
    Instant storeTime(long now) {
        return claim.claimedAt().plusNanos(age(now));
    }

    /** Enters a call of the sender, on this thread; false if the claim is lost. */
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

    /** The call is over, and no other thread interrupts this one any more. */
    synchronized void endCall() {
        if (phase == Phase.CALLING) {
            phase = Phase.WAITING;
        }
        caller = null;
    }

    /** Returns whether the call, the last one, was interrupted since its time was over. */
    synchronized boolean hasTimedOut() {
        return timedOut;
    }

    /** From now on only the store can lose the claim; false if it is lost. */
    synchronized boolean startSettling() {
        if (phase == Phase.LOST) {
            return false;
        }
        phase = Phase.SETTLING;
        return true;
    }

    /** Takes the claim away, and interrupts the call; false if it was lost before, or is being settled. */
    synchronized boolean revoke() {
        if (phase == Phase.LOST || phase == Phase.SETTLING) {
            return false;
        }
        phase = Phase.LOST;
        interruptCall();
        return true;
    }

    /** Takes the claim away if its time is over. */
    synchronized boolean revokeIfExpired() {
        return !lease.isHeld() && revoke();
    }

    synchronized void interruptCall() {
        if (caller != null) {
            caller.interrupt();
        }
    }

    /** Interrupts the call if its time is over; whether it has now been over for so long that it should be reported. */
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

    /** How many nanoseconds the call has been over its time. */
    synchronized long overdue(long now) {
        return now - overdueSince;
    }

    /** In how many nanoseconds something has to be done about it. */
    synchronized long nextCheck(long now) {
        return switch (phase) {
            case WAITING -> lease.left();
            case CALLING -> Math.min(lease.left(), callUntil - now);
            case SETTLING, LOST -> NEVER;
        };
    }

    /** Returns whether it is not lost, and its lease should be renewed when no more than that is left of it. */
    synchronized boolean needsRenewal(long left) {
        return phase != Phase.LOST && lease.left() <= left;
    }

    synchronized void renewed(LocalLease renewal) {
        if (renewal.left() > lease.left()) {
            lease = renewal;
        }
    }
}
