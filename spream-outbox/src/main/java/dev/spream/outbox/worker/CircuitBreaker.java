package dev.spream.outbox.worker;

import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import java.util.Set;

/**
 * A circuit breaker that stops claims while the receiver is unreachable: it opens after a number of consecutive attempts of any
 * entries that did not reach the receiver, and after a pause admits a single attempt, the probe, whose outcome closes it or opens
 * it again. Rejected credentials count as unreachable, since they are no fault of an entry. Attempts that were under way when it
 * opened change nothing any more. Safe for use by many threads.
 */
final class CircuitBreaker {
    /** What it lets through while it is closed: anything. */
    static final int UNLIMITED = Integer.MAX_VALUE;

    private static final Set<ReasonCode> NOT_REACHED =
            Set.of(ReasonCode.UNAVAILABLE, ReasonCode.TIMEOUT, ReasonCode.RATE_LIMITED, ReasonCode.UNAUTHORIZED);

    enum Change {
        NONE,
        OPENED,
        CLOSED
    }

    private final int threshold;
    private final long pause;

    private volatile boolean closed = true; // written by synchronized methods

    // Guarded by this.
    private int failures;
    private long openUntil;
    private boolean probing;

    /**
     * @param threshold how many failures in a row open it, 0 for never
     * @param pauseNanos how long it stays open
     */
    CircuitBreaker(int threshold, long pauseNanos) {
        this.threshold = threshold;
        this.pause = pauseNanos;
    }

    boolean isClosed() {
        return closed;
    }

    /** How many entries may be claimed now: any number, one, or none. */
    synchronized int allowance(long now) {
        if (closed) {
            return UNLIMITED;
        }
        return probing || now - openUntil < 0 ? 0 : 1;
    }

    /** For how many nanoseconds nothing may be claimed; 0 if something may be, and until the probe is over if one is. */
    synchronized long pauseLeft(long now) {
        if (closed) {
            return 0;
        }
        return probing ? pause : Math.max(0, openUntil - now);
    }

    /** The entry that may be claimed was. */
    synchronized void probe() {
        probing = true;
    }

    /** The probe ended without an outcome; another may be made. */
    synchronized void probeDropped() {
        probing = false;
    }

    /** The probe does not come back; another may be made after the pause. Only one report of a probe may be made. */
    synchronized Change probeOverdue(long now) {
        return closed ? Change.NONE : open(now);
    }

    Change sent(SendOutcome outcome, boolean probe, long now) {
        if (threshold == 0) {
            return Change.NONE;
        }
        return notReached(outcome) ? failed(probe, now) : reached(probe);
    }

    private synchronized Change failed(boolean probe, long now) {
        if (closed) {
            failures++;
            return failures < threshold ? Change.NONE : open(now);
        }
        return probe ? open(now) : Change.NONE;
    }

    private Change open(long now) {
        failures = Math.max(failures, threshold);
        closed = false;
        probing = false;
        openUntil = now + pause;
        return Change.OPENED;
    }

    private synchronized Change reached(boolean probe) {
        if (closed) {
            failures = 0;
            return Change.NONE;
        }
        if (!probe) {
            return Change.NONE;
        }
        failures = 0;
        probing = false;
        closed = true;
        return Change.CLOSED;
    }

    /** Returns whether it says that the receiver was not reached, and not just that it did not take the entry. */
    static boolean notReached(SendOutcome outcome) {
        return switch (outcome) {
            case SendOutcome.Unknown unknown -> true;
            case SendOutcome.Retryable retryable -> NOT_REACHED.contains(retryable.reason());
            case SendOutcome.Succeeded succeeded -> false;
            case SendOutcome.Permanent permanent -> false;
        };
    }
}
