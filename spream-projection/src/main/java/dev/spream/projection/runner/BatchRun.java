package dev.spream.projection.runner;

import dev.spream.core.ExponentialBackoff;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The application of a batch of events, some of which may fail: in one transaction if nothing fails; otherwise in several, each
 * for the next events in order, so that the checkpoint can follow each of them. Confined to a loop's thread.
 *
 * <p><b>The commit of the checkpoint.</b> {@link #attempt} hands a {@link BatchAttempt} to {@link
 * ProjectionStore#apply}. The store begins a transaction, checks the fence, has the attempt apply the events, writes
 * the {@link BatchCheckpoint} that the attempt returns (versions of aggregates, parked aggregates, position) and
 * commits all of that at once. Only then does the loop acknowledge.
 *
 * <p><b>Vocabulary</b>
 *
 * <ul>
 *   <li><i>Culprit</i>: the event that failed. The projection was applying it, or it is found by halving.
 *   <li><i>Verdict</i>: the decision to park an aggregate from one of its events on, in the transaction of the events
 *       before it. Poison causes one at once. A retryable one is tried once more, alone, after the events before it are
 *       committed.
 *   <li><i>Suspect</i>: an aggregate whose verdict comes from a retryable failure. The next event of another one is tried.
 *   <li><i>Rehearsal</i>: a transaction with suspects that could apply an event. It is rolled back: since other events
 *       can be applied, suspects get a last attempt, and are parked if they fail again. If none of several can be
 *       applied, it is an outage, and none is parked: the loop ends.
 *   <li><i>Conflict</i>: the transaction conflicted with another one, for which its events are not to blame. The batch
 *       is repeated unchanged, after a pause; with many in a row the loop ends.
 *   <li><i>Broken off</i>: the store failed after events were applied. The loop ends; if that happens twice with
 *       nothing committed in between, an event may be the cause, and is found like one that fails.
 * </ul>
 *
 * <p><b>Invariants</b>
 *
 * <ol>
 *   <li>The committed events are a prefix of the batch, which grows; each event is reported to the loop once, in order.
 *   <li>The stored position never moves back: where a transaction may have been committed though the store failed, none
 *       is stored before its end again.
 *   <li>An aggregate has a verdict only if one of its events has failed; all of its events from there on are parked with it.
 *   <li>Verdicts last until the next commit. One that a rehearsal has refuted is forgotten.
 *   <li>Each transaction commits, tries fewer events than the one before, tries an event for the second time, adds a verdict,
 *       refutes all of them once, or counts as a conflict: so a batch ends.
 * </ol>
 */
final class BatchRun<T> {
    /** The part of a loop that a batch needs. */
    interface Loop {
        Fence fence();

        /** Returns the version that is written, as read before the fence was acquired. */
        ProjectionVersion version();

        /** Ends the loop unless the store allows it to write. */
        void requireMayWrite() throws LoopExit;

        /** Returns whether it was cancelled, so that failures are meaningless. */
        boolean isCancelled();

        /** Reports that these items are durably processed. */
        void committed(List<FeedItem.Event> items, OptionalLong position);

        /** Reports that an event was parked, so that parked aggregates may be due within that time. */
        void parked(Duration due);

        /**
         * Waits for that long.
         *
         * @throws InterruptedException if the loop is to end
         */
        void pause(Duration time) throws InterruptedException;
    }

    private static final int MOST_CONFLICTS = 10;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final ManagerContext<T> manager;
    private final VersionCode<T> code;
    private final FailureHandling failures;
    private final Loop loop;
    private final String name; // of the state that is written
    private final EventWriter<T> writer;
    private final List<FeedItem.Event> items;
    private final List<EventEnvelope> events;
    private final OptionalLong position;
    private final Cursor cursor;

    // Since the last commit.
    private final Map<String, BatchPlan.Verdict> verdicts = new HashMap<>();
    private boolean suspects; // among the verdicts
    private boolean rehearsed; // another event can be applied
    private int conflicts; // in a row

    private final Set<String> triedAgain = new HashSet<>(); // ids of events that failed
    private boolean breaking; // whether its events may be what aborts transactions
    private int maybeCommitted; // end of the events that may be committed although the store failed

    /** @param position the position of the batch, if its feed has positions */
    BatchRun(
            ManagerContext<T> manager,
            VersionCode<T> code,
            FailureHandling failures,
            Loop loop,
            List<FeedItem.Event> items,
            long position) {
        this.manager = manager;
        this.code = code;
        this.failures = failures;
        this.loop = loop;
        this.name = loop.fence().projection();
        this.writer = code.writer(loop.version(), 0);
        this.items = items;
        this.events = items.stream().map(FeedItem.Event::envelope).toList();
        this.position = loop.fence() instanceof Fence.Segment ? OptionalLong.of(position) : OptionalLong.empty();
        this.cursor = new Cursor(items.size());
    }

    void run() throws LoopExit, InterruptedException {
        while (!cursor.isAtEnd()) {
            BatchAttempt<T> attempt = new BatchAttempt<>(
                    code.planner(),
                    writer,
                    events.subList(cursor.done(), cursor.end()),
                    verdicts,
                    position(),
                    suspects && !rehearsed);
            long startedAt = manager.now();
            Throwable failure = attempt(attempt);
            if (attempt.wasProbed()) {
                refuteVerdicts();
            } else if (failure == null) {
                committed(attempt, Duration.ofNanos(manager.now() - startedAt));
            } else if (loop.isCancelled()) {
                throw new InterruptedException("interrupted in a transaction, which was rolled back");
            } else {
                failed(attempt, failure);
            }
        }
    }

    /** Returns the checkpoint of the next transaction. */
    private OptionalLong position() {
        int end = cursor.end();
        if (end < maybeCommitted) {
            return OptionalLong.empty(); // a stored position must not go back
        }
        return position.isEmpty() || end == items.size()
                ? position
                : OptionalLong.of(items.get(end - 1).position());
    }

    /** Commits the events with their checkpoint; returns the failure, if there was one. */
    private @Nullable Throwable attempt(BatchAttempt<T> attempt) throws LoopExit {
        loop.requireMayWrite();
        boolean fenced;
        try {
            fenced = !manager.store().apply(loop.fence(), attempt.aggregates(), attempt);
        } catch (Throwable t) {
            return t;
        }
        if (fenced) {
            throw LoopExit.fenced(name);
        }
        return null;
    }

    private void committed(BatchAttempt<T> attempt, Duration took) {
        loop.committed(items.subList(cursor.done(), cursor.end()), position());
        attempt.plan().ifPresent(plan -> report(plan, took));
        cursor.commit();
        verdicts.clear();
        suspects = false;
        rehearsed = false;
        conflicts = 0;
        failures.brokenOff().committed(loop.fence());
    }

    /**
     * Discards verdicts: not everything fails, so suspects get another attempt, since the cause may have ended before.
     */
    private void refuteVerdicts() {
        failures.outages().worked();
        rehearsed = true;
        suspects = false;
        verdicts.clear();
        cursor.restart();
    }

    private void report(BatchPlan plan, Duration took) {
        if (!plan.handle().isEmpty()) {
            failures.outages().worked();
        }
        if (!plan.setAside().isEmpty()) {
            loop.parked(plan.parked().values().stream()
                    .flatMap(parking -> parking.nextTry().stream())
                    .min(Duration::compareTo)
                    .orElse(Duration.ZERO));
        }
        failures.limit()
                .committed(
                        plan.handle().size(),
                        waiting(plan.parked().values().stream()),
                        plan.parked().values().stream()
                                .filter(BatchRun::isWaiting)
                                .map(ParkDecision::error)
                                .findFirst());
        plan.parked().forEach((key, parking) -> failures.parkedLog().parked(key, plan.firstVersion(key), parking));
        manager.tell(listener -> {
            listener.advanced(name, plan.versions());
            listener.batchApplied(
                    name, plan.applied(), plan.duplicates(), plan.setAside().size(), took);
            plan.parked().forEach((key, parking) -> listener.keyParked(name, key, parking));
        });
        manager.tell(listener -> {
            Duration each = took.dividedBy(Math.max(1, plan.handle().size()));
            plan.handle().forEach(event -> listener.eventApplied(name, event, each));
        });
    }

    private void failed(BatchAttempt<T> attempt, Throwable thrown) throws LoopExit, InterruptedException {
        FailureKind kind = kind(attempt, thrown);
        Exception failure = FailureClassifier.asException(thrown);
        if (kind == FailureKind.CONFLICT) {
            awaitOthers(failure);
            return;
        }
        LoopExit.ifOfEveryEvent(kind, failure);
        EventEnvelope failed = attempt.failedEvent(cursor.tried() > 1);
        if (failed == null) {
            if (cursor.tried() <= 1) {
                throw LoopExit.outage(failure); // it fails without an event that is applied
            }
            cursor.halve();
            return;
        }
        failures.reporter().failed(kind, failure);
        int index = indexOf(failed);
        if (kind == FailureKind.POISON) {
            park(
                    failed,
                    attempt,
                    failures.policy().poison(1, failures.reporter().text(failure)));
            cursor.endAt(index + 1);
        } else if (index > cursor.failing() && attempt.before(failed) > 0) {
            cursor.endAt(index);
        } else if (triedAgain.add(failed.eventId())) {
            cursor.endAt(index + 1);
        } else {
            suspect(failed, attempt, index, failure);
        }
    }

    private void awaitOthers(Exception failure) throws LoopExit, InterruptedException {
        conflicts++;
        if (conflicts > MOST_CONFLICTS) {
            throw LoopExit.outage(failure);
        }
        Duration pause = ExponentialBackoff.pause(FIRST_PAUSE, LONGEST_PAUSE, conflicts, manager.random());
        failures.reporter().failed(FailureKind.CONFLICT, failure);
        failures.conflicts()
                .say(
                        "a batch of {} events of {} conflicted with another transaction, {} in a row, and was rolled back: {}; it is repeated after {} ms, and no aggregate is parked. If this happens often, fold the rows that several aggregates share by their own key, see FoldableProjection.key",
                        cursor.end() - cursor.done(),
                        Assignment.label(loop.fence()),
                        conflicts,
                        failures.reporter().text(failure),
                        pause.toMillis());
        loop.pause(pause);
    }

    /**
     * Classifies a transaction that the store aborted: an outage at first; after repeated aborts, a failure of some of
     * its events.
     */
    private FailureKind kind(BatchAttempt<T> attempt, Throwable thrown) throws LoopExit {
        if (failures.judge().isConflict(thrown)) {
            return FailureKind.CONFLICT;
        }
        if (attempt.wasAborted(thrown)) {
            maybeCommitted = Math.max(maybeCommitted, cursor.end());
            breaking |= failures.brokenOff().again(loop.fence());
            if (breaking) {
                return FailureKind.TRANSIENT;
            }
        }
        return failures.judge().kind(thrown, attempt.threw(thrown));
    }

    private int indexOf(EventEnvelope event) {
        int index = cursor.done();
        while (!events.get(index).equals(event)) {
            index++;
        }
        return index;
    }

    private void park(EventEnvelope failed, BatchAttempt<T> attempt, ParkDecision parking) throws LoopExit {
        if (isWaiting(parking)) {
            failures.limit()
                    .requireRoom(
                            attempt.before(failed),
                            waiting(verdicts.values().stream().map(BatchPlan.Verdict::parking)),
                            parking.error());
        }
        verdicts.put(failed.aggregateId(), new BatchPlan.Verdict(failed.eventVersion(), parking));
    }

    private static int waiting(Stream<ParkDecision> parkings) {
        return Math.toIntExact(parkings.filter(BatchRun::isWaiting).count());
    }

    /** Returns whether it is parked until an operator acts. */
    private static boolean isWaiting(ParkDecision parking) {
        return parking.nextTry().isEmpty();
    }

    private void suspect(EventEnvelope failed, BatchAttempt<T> attempt, int index, Exception failure) throws LoopExit {
        String error = failures.reporter().text(failure);
        park(
                failed,
                attempt,
                rehearsed
                        ? failures.policy().afterTransient(1, error) // an immediate attempt counts as one
                        : failures.policy().afterOutage(0, error));
        suspects = true;
        failures.outages().counts(failed.aggregateId());
        failures.outages().failed(failed.aggregateId());
        int next = index + 1;
        while (next < events.size() && verdicts.containsKey(events.get(next).aggregateId())) {
            next++;
        }
        if (failures.outages().isOutage(verdicts.size(), next < events.size(), events.size())) {
            throw LoopExit.outage(failure);
        }
        cursor.passTo(next);
    }

    /**
     * The progress of a run in its batch: the events before {@link #done} are committed, those from there to {@link
     * #failing} belong to aggregates that are to be parked, and the next events to try follow, up to {@link #end}.
     * Never moves back before committed events.
     */
    private static final class Cursor {
        private final int size;
        private int done;
        private int failing;
        private int width; // of what is tried behind those; 1 or more

        Cursor(int size) {
            this.size = size;
            this.width = size;
        }

        boolean isAtEnd() {
            return done == size;
        }

        /** Returns the first event that is not committed. */
        int done() {
            return done;
        }

        /** Returns the first event that may be applied, as far as is known; never before {@link #done}. */
        int failing() {
            return failing;
        }

        /** Returns the first event after the next transaction. */
        int end() {
            return Math.min(size, failing + width);
        }

        /** Returns the number of events that the next transaction may apply. */
        int tried() {
            return end() - failing;
        }

        /** Records that all events up to the end are committed, and doubles the size of the next transaction. */
        void commit() {
            done = end();
            failing = done;
            width = Math.min(size, Math.max(1, 2 * width));
        }

        /** Makes the next transaction try the uncommitted events of this one, including failed ones. */
        void restart() {
            width = end() - done;
            failing = done;
        }

        void halve() {
            width = tried() / 2;
        }

        /** Ends the next transaction before that event, or after the first event that may be applied. */
        void endAt(int event) {
            width = Math.max(1, event - failing);
        }

        /** Tries that event alone next: no event before it can be applied. */
        void passTo(int event) {
            failing = event;
            width = 1;
        }
    }
}
