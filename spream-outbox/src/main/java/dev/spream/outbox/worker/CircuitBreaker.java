package dev.spream.outbox.worker;

import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import java.util.Set;

/**
 * A circuit breaker that stops claims while the receiver is unreachable. It opens after a number of consecutive
 * attempts, of any entries, that did not reach the receiver, and after a pause admits a single attempt, the probe,
 * whose outcome closes it or opens it again. Rejected credentials count as unreachable, since the cause is not the
 * entry. Attempts that were in flight when it opened have no effect on it. Safe for use by many threads.
 */
final class CircuitBreaker {
    /** The allowance while the breaker is closed. */
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
     * @param threshold the number of consecutive failures that open it, 0 for never
     * @param pauseNanos the time that it stays open before a probe, in nanoseconds
     */
    CircuitBreaker(int threshold, long pauseNanos) {
        this.threshold = threshold;
        this.pause = pauseNanos;
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns the number of entries that may be claimed now: {@link #UNLIMITED}, 1 for a probe, or 0. */
    synchronized int allowance(long now) {
        if (closed) {
            return UNLIMITED;
        }
        return probing || now - openUntil < 0 ? 0 : 1;
    }

    /**
     * Returns the time until the next claim may be allowed, in nanoseconds: 0 if claims are allowed now, and a full
     * pause while a probe is in flight.
     */
    synchronized long pauseLeft(long now) {
        if (closed) {
            return 0;
        }
        return probing ? pause : Math.max(0, openUntil - now);
    }

    /** Records that the probe was claimed. */
    synchronized void probe() {
        probing = true;
    }

    /** Records that the probe ended without an outcome; another probe may be made immediately. */
    synchronized void probeDropped() {
        probing = false;
    }

    /**
     * Records that the probe did not return in time; another one may be made after the pause. At most one report may be
     * made for each probe.
     */
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

    /**
     * Returns whether the outcome shows that the receiver was not reached, rather than that it did not accept the
     * entry.
     */
    static boolean notReached(SendOutcome outcome) {
        return switch (outcome) {
            case SendOutcome.Unknown unknown -> true;
            case SendOutcome.Retryable retryable -> NOT_REACHED.contains(retryable.reason());
            case SendOutcome.Succeeded succeeded -> false;
            case SendOutcome.Permanent permanent -> false;
        };
    }
}
