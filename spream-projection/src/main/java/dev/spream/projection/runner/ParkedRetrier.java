package dev.spream.projection.runner;

import dev.spream.projection.AggregateState;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.RetryGuard;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Retries parked aggregates between the batches of a loop, for a short time each round, so that it delays other events
 * only a little: a retry of an aggregate ends when some of its events are applied, or it is parked again. Confined to a
 * loop's thread.
 */
final class ParkedRetrier<T> {
    private static final int KEYS = 20;
    private static final int EVENTS = 200;
    private static final long ROUND = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long EVERY = TimeUnit.SECONDS.toNanos(1);
    private static final long SOONEST = TimeUnit.MILLISECONDS.toNanos(50);

    private final ManagerContext<T> manager;
    private final VersionStatus status;
    private final VersionCode<T> code;
    private final FailureHandling failures;
    private final BatchRun.Loop loop;
    private long nextLook;
    private long lastLook;
    private boolean expecting = true; // whether aggregates may be due, independently of the stored information

    ParkedRetrier(
            ManagerContext<T> manager,
            VersionStatus status,
            VersionCode<T> code,
            FailureHandling failures,
            BatchRun.Loop loop) {
        this.manager = manager;
        this.status = status;
        this.code = code;
        this.failures = failures;
        this.loop = loop;
        this.nextLook = manager.now();
        this.lastLook = nextLook - SOONEST;
    }

    /** Schedules a retry: aggregates may be due after that time. */
    void retryAfter(Duration due) {
        long soonest = Math.max(lastLook + SOONEST - manager.now(), TimeUnit.NANOSECONDS.convert(due));
        nextLook = manager.now() + Math.min(nextLook - manager.now(), soonest);
        expecting = true;
    }

    /** Returns the time until the next work, in nanoseconds. */
    long idleNanos() {
        return Math.max(0, nextLook - manager.now());
    }

    /** Retries due aggregates, if it is time to do so. */
    void run() throws LoopExit, InterruptedException {
        if (idleNanos() > 0) {
            return;
        }
        lastLook = manager.now();
        nextLook = lastLook + EVERY;
        if (!expecting && !mayBeDue()) {
            return;
        }
        expecting = false;
        long until = lastLook + ROUND;
        List<ParkedAggregate> due = manager.store().due(loop.fence(), KEYS);
        for (ParkedAggregate key : due) {
            if (manager.now() - until >= 0) {
                retryNow();
                return;
            }
            new KeyRetry(key, until).run();
        }
        if (due.size() == KEYS) {
            retryNow();
        }
    }

    /** Schedules an immediate retry. */
    private void retryNow() {
        nextLook = manager.now();
        expecting = true;
    }

    private boolean mayBeDue() {
        return switch (loop.fence()) {
            case Fence.Segment held -> status.hasDue(held.segment());
            case Fence.Whole whole -> true;
        };
    }

    private final class KeyRetry {
        private final ParkedAggregate key;
        private final long until;
        private int attempts;
        private long first;
        private int limit = EVENTS;
        private boolean settled; // something was committed

        KeyRetry(ParkedAggregate key, long until) {
            this.key = key;
            this.until = until;
            this.attempts = key.attempts();
            this.first = key.firstVersion();
        }

        /**
         * Retries until some of it is settled, however long that takes: the next round would otherwise start at the
         * same point.
         */
        void run() throws LoopExit, InterruptedException {
            boolean goesOn = true;
            while (goesOn && (!settled || manager.now() - until < 0)) {
                goesOn = tryOnce();
            }
        }

        /** Returns whether there is more to try at once. */
        private boolean tryOnce() throws LoopExit, InterruptedException {
            loop.requireMayWrite();
            RetryAttempt<T> attempt = new RetryAttempt<>(code.planner(), code.writer(loop.version(), key.followed()));
            long startedAt = manager.now();
            Optional<AggregateState> state;
            try {
                state = manager.store().retry(loop.fence(), key.key(), limit, attempt);
            } catch (Throwable t) {
                if (loop.isCancelled()) {
                    throw new InterruptedException("interrupted in a transaction, which was rolled back");
                }
                first = attempt.firstVersion().orElse(first);
                return failed(attempt, t);
            }
            first = attempt.firstVersion().orElse(first);
            return state.isPresent() && committed(attempt, state.get(), Duration.ofNanos(manager.now() - startedAt));
        }

        private boolean committed(RetryAttempt<T> attempt, AggregateState state, Duration took) {
            status.parkedChanged.set(true);
            if (attempt.taken() > 0) {
                tell(attempt, took);
                attempts = 0;
                first = attempt.nextVersion();
                limit = Math.min(EVENTS, 2 * limit);
                settled = true;
            }
            if (!state.parked()) {
                failures.parkedLog().resumed(key.key(), state.lastVersion());
                failures.outages().forget(key.key());
                manager.tell(listener -> listener.keyResumed(status.name, key.key()));
                return false;
            }
            if (attempt.hasGap()) {
                postpone(attempt.firstLeft(), failures.policy().gap(attempt.version() + 1));
                return false;
            }
            return attempt.taken() > 0;
        }

        private void tell(RetryAttempt<T> attempt, Duration took) {
            int handled = attempt.handle().size();
            if (handled > 0) {
                failures.outages().worked();
            }
            status.progressed.set(true);
            manager.tell(listener -> {
                listener.advanced(status.name, Map.of(key.key(), attempt.version()));
                listener.batchApplied(status.name, attempt.taken(), 0, 0, took);
                Duration each = took.dividedBy(Math.max(1, handled));
                attempt.handle().forEach(event -> listener.eventApplied(status.name, event, each));
            });
        }

        private boolean failed(RetryAttempt<T> attempt, Throwable thrown) throws LoopExit {
            boolean conflict = failures.judge().isConflict(thrown);
            boolean brokenOff = StoreAbortTracker.isOfStore(thrown) && !attempt.threw(thrown) && !conflict;
            FailureKind kind =
                    brokenOff ? FailureKind.TRANSIENT : failures.judge().kind(thrown, attempt.threw(thrown));
            Exception failure = FailureClassifier.asException(thrown);
            LoopExit.ifOfEveryEvent(kind, failure);
            if (conflict || (brokenOff && attempt.handle().isEmpty())) {
                postponeIfPossible(kind, untried(status.reporter.text(failure)), failure);
                return false;
            }
            int before = attempt.before();
            if (before != 0) {
                if (limit == 1) {
                    throw LoopExit.outage(failure); // it fails without an event that is applied
                }
                limit = before > 0 ? before : Math.max(1, Math.min(limit, attempt.taken()) / 2);
                return true;
            }
            ParkDecision parking = parking(kind, status.reporter.text(failure));
            if (parking.nextTry().isEmpty() && key.reason() != ParkReason.POISON) {
                failures.limit().requireRoomInStore(0, parking.error());
            }
            if (brokenOff) {
                postponeIfPossible(kind, parking, failure);
                return false;
            }
            status.reporter.failed(kind, failure);
            postpone(attempt.firstLeft(), parking);
            return false;
        }

        /**
         * Postpones the aggregate. If the store records that, there is no outage, and other aggregates continue;
         * otherwise the loop ends.
         */
        private void postponeIfPossible(FailureKind kind, ParkDecision parking, Exception failure) throws LoopExit {
            try {
                postpone(first, parking);
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
                throw LoopExit.outage(failure);
            }
            status.reporter.failed(kind, failure);
        }

        /**
         * Returns the decision if none of its events has failed: an aggregate that waits for a missing event continues
         * to wait.
         */
        private ParkDecision untried(String error) {
            ParkDecision later = failures.policy().afterOutage(attempts, error);
            return key.reason() == ParkReason.GAP
                    ? new ParkDecision(ParkReason.GAP, attempts, error, later.nextTry())
                    : later;
        }

        private ParkDecision parking(FailureKind kind, String error) {
            if (kind == FailureKind.POISON) {
                return failures.policy().poison(attempts + 1, error);
            }
            boolean counts = failures.outages().counts(key.key());
            return counts && !failures.outages().isRaised()
                    ? failures.policy().afterTransient(attempts + 1, error)
                    : failures.policy().afterOutage(attempts, error);
        }

        private void postpone(long firstVersion, ParkDecision parking) {
            if (manager.store().postpone(loop.fence(), key.key(), new RetryGuard(first, attempts), parking)) {
                status.parkedChanged.set(true);
                failures.parkedLog().stays(key.key(), firstVersion, parking);
                parking.nextTry().ifPresent(ParkedRetrier.this::retryAfter);
                manager.tell(listener -> listener.keyParked(status.name, key.key(), parking));
            } else {
                retryAfter(Duration.ZERO); // an operator changed it meanwhile; retry at once
            }
        }
    }
}
