package dev.spream.projection;

import dev.spream.core.ExponentialBackoff;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedBatch;
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
 * Applies the events of a batch, whatever some of them do: in one transaction if nothing fails; otherwise in several, each for
 * the next events in order, so that the position can follow each of them. Confined to a loop's thread.
 *
 * <p>An event that fails is found at once if the projection was at it, by halving otherwise. If it is poison, its aggregate is
 * parked, in the transaction of what comes before it. If it may pass, that is committed first and the event tried once more,
 * alone. If it fails again its aggregate is suspected, and the next event of another one is tried. If that can be applied, those
 * that are suspected have a last chance, and are parked if they fail once more; if none of several can be, it is no fault of
 * theirs, and nobody is parked.
 *
 * <p>Transactions that were in each other's way say nothing of their events: all is repeated as it was, after a pause, and with
 * many such conflicts in a row the loop ends.
 *
 * <p>A store that fails ends the loop. If that happens twice with events applied in the transaction, and nothing was committed
 * in between, it may be an event that does it, and is found the same way.
 */
final class BatchRun<T> {
    /** What a loop does for a batch. */
    interface Loop {
        Fence fence();

        /** What is written, as it is since before the fence was had. */
        ProjectionVersion version();

        /** Whether the store can be relied on to let it write. */
        boolean mayWrite();

        /** Whether it was interrupted, so that what fails says nothing. */
        boolean isCancelled();

        /** These are dealt with for good. */
        void committed(List<FeedItem.Event> items, OptionalLong position);

        /** An event was set aside, so that parked aggregates may be due within that time. */
        void parked(Duration due);

        /**
         * Waits for that long.
         *
         * @throws InterruptedException if it is to end
         */
        void pause(Duration time) throws InterruptedException;
    }

    private static final int MOST_CONFLICTS = 10;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(20);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

    private final ProjectionContext<T> context;
    private final Loop loop;
    private final EventWriter<T> writer;
    private final List<FeedItem.Event> items;
    private final List<EventEnvelope> events;
    private final OptionalLong position;
    private final Map<String, BatchPlan.Verdict> verdicts = new HashMap<>();
    private int from; // the first that is not dealt with
    private int barren; // up to here none can be applied, by the verdicts; not below from
    private int size; // how many are tried behind those
    private final Set<String> triedAgain = new HashSet<>(); // ids of events that failed
    private int conflicts; // in a row
    private boolean suspects; // among the verdicts
    private boolean rehearsed; // another event can be applied
    private boolean breaking; // its events may be what brings transactions down
    private int unsure; // up to here it may be committed though the store failed, and the position be there

    /**
     * A batch to apply.
     *
     * @param batch that the items are of
     */
    BatchRun(ProjectionContext<T> context, Loop loop, List<FeedItem.Event> items, FeedBatch batch) {
        this.context = context;
        this.loop = loop;
        this.writer = context.writer(loop.version(), 0);
        this.items = items;
        this.events = items.stream().map(FeedItem.Event::envelope).toList();
        this.position =
                loop.fence() instanceof Fence.Segment ? OptionalLong.of(batch.position()) : OptionalLong.empty();
        this.size = items.size();
    }

    void run() throws LoopEnd, InterruptedException {
        while (from < events.size()) {
            int end = Math.min(events.size(), barren + size);
            List<EventEnvelope> some = events.subList(from, end);
            BatchAttempt<T> attempt =
                    new BatchAttempt<>(context, writer, some, verdicts, positionAt(end), suspects && !rehearsed);
            long startedAt = context.now();
            Throwable failure = attempt(attempt, some);
            if (attempt.wasRehearsed()) {
                tryAllAgain();
            } else if (failure == null) {
                committed(end, attempt, Duration.ofNanos(context.now() - startedAt));
            } else if (loop.isCancelled()) {
                throw new InterruptedException("interrupted in a transaction, which is not committed");
            } else {
                failed(end, attempt, failure);
            }
        }
    }

    private OptionalLong positionAt(int end) {
        if (end < unsure) {
            return OptionalLong.empty(); // it must not go back
        }
        return position.isEmpty() || end == items.size()
                ? position
                : OptionalLong.of(items.get(end - 1).position());
    }

    private @Nullable Throwable attempt(BatchAttempt<T> attempt, List<EventEnvelope> some) throws LoopEnd {
        if (!loop.mayWrite()) {
            throw LoopEnd.fenced(context.name());
        }
        Set<String> keys = HashSet.newHashSet(some.size());
        some.forEach(event -> keys.add(event.aggregateId()));
        boolean fenced;
        try {
            fenced = !context.store().apply(loop.fence(), keys, attempt);
        } catch (Throwable t) {
            return t;
        }
        if (fenced) {
            throw LoopEnd.fenced(context.name());
        }
        return null;
    }

    private void committed(int end, BatchAttempt<T> attempt, Duration took) {
        loop.committed(items.subList(from, end), positionAt(end));
        attempt.plan().ifPresent(plan -> tell(plan, took));
        from = end;
        barren = end;
        size = Math.min(events.size(), Math.max(1, 2 * size));
        verdicts.clear();
        suspects = false;
        rehearsed = false;
        conflicts = 0;
        context.brokenOff().committed(loop.fence());
        context.progressed();
    }

    /** Not everything fails: those that are suspected have another chance, since it may have been over before. */
    private void tryAllAgain() {
        context.suspicion().worked();
        rehearsed = true;
        suspects = false;
        verdicts.clear();
        barren = from;
        size = events.size();
    }

    private void tell(BatchPlan plan, Duration took) {
        if (!plan.handle().isEmpty()) {
            context.suspicion().worked();
        }
        if (!plan.setAside().isEmpty()) {
            context.parkedChanged();
            loop.parked(plan.parked().values().stream()
                    .flatMap(parking -> parking.nextTry().stream())
                    .min(Duration::compareTo)
                    .orElse(Duration.ZERO));
        }
        context.parkLimit()
                .committed(
                        plan.handle().size(),
                        waiting(plan.parked().values().stream()),
                        plan.parked().values().stream()
                                .filter(BatchRun::isWaiting)
                                .map(Parking::error)
                                .findFirst());
        plan.parked().forEach((key, parking) -> context.parkedLog().parked(key, plan.firstVersion(key), parking));
        context.tell(listener -> {
            listener.batchApplied(
                    context.name(),
                    plan.applied(),
                    plan.duplicates(),
                    plan.setAside().size(),
                    took);
            plan.parked().forEach((key, parking) -> listener.keyParked(context.name(), key, parking));
        });
        context.tell(listener -> {
            Duration each = took.dividedBy(Math.max(1, plan.handle().size()));
            plan.handle().forEach(event -> listener.eventApplied(context.name(), event, each));
        });
    }

    private void failed(int end, BatchAttempt<T> attempt, Throwable thrown) throws LoopEnd, InterruptedException {
        FailureKind kind = kind(end, attempt, thrown);
        Exception failure = FailureJudge.asException(thrown);
        if (kind == FailureKind.CONFLICT) {
            awaitOthers(end - from, failure);
            return;
        }
        LoopEnd.ifOfEveryEvent(kind, failure);
        int tried = end - barren;
        EventEnvelope culprit = tried > 1 ? attempt.culprit() : attempt.culpritOfOne();
        if (culprit == null && tried > 1) {
            size = tried / 2;
            return;
        }
        if (culprit == null) {
            throw LoopEnd.outage(failure); // it fails without an event that is applied
        }
        context.troubles().failed(kind, failure);
        int index = indexOf(culprit);
        if (kind == FailureKind.POISON) {
            condemn(culprit, attempt, context.policy().poison(1, ErrorText.of(context.store(), failure)));
            tryUpTo(index + 1);
        } else if (index > barren && attempt.before(culprit) > 0) {
            tryUpTo(index);
        } else if (triedAgain.add(culprit.eventId())) {
            tryUpTo(index + 1);
        } else {
            suspect(culprit, attempt, index, failure);
        }
    }

    private void awaitOthers(int events, Exception failure) throws LoopEnd, InterruptedException {
        conflicts++;
        if (conflicts > MOST_CONFLICTS) {
            throw LoopEnd.outage(failure);
        }
        Duration pause = ExponentialBackoff.pause(
                FIRST_PAUSE, LONGEST_PAUSE, conflicts, context.manager().random());
        context.troubles().failed(FailureKind.CONFLICT, failure);
        context.conflictLog()
                .repeated(
                        Assignment.label(loop.fence()),
                        events,
                        conflicts,
                        pause,
                        ErrorText.of(context.store(), failure));
        loop.pause(pause);
    }

    /** A transaction that is broken off is an outage, but again and again it is one that some of its events make. */
    private FailureKind kind(int end, BatchAttempt<T> attempt, Throwable thrown) throws LoopEnd {
        if (context.judge().isConflict(thrown)) {
            return FailureKind.CONFLICT;
        }
        if (attempt.wasBrokenOff(thrown)) {
            unsure = Math.max(unsure, end);
            breaking |= context.brokenOff().again(loop.fence());
            if (breaking) {
                return FailureKind.TRANSIENT;
            }
        }
        return context.judge().kind(thrown, attempt.threw(thrown));
    }

    private int indexOf(EventEnvelope event) {
        int index = from;
        while (!events.get(index).equals(event)) {
            index++;
        }
        return index;
    }

    /** Events behind {@code from} are tried up to there next. */
    private void tryUpTo(int end) {
        size = Math.max(1, end - barren);
    }

    private void condemn(EventEnvelope culprit, BatchAttempt<T> attempt, Parking parking) throws LoopEnd {
        if (isWaiting(parking)) {
            context.parkLimit()
                    .requireRoom(
                            attempt.before(culprit),
                            waiting(verdicts.values().stream().map(BatchPlan.Verdict::parking)),
                            parking.error());
        }
        verdicts.put(culprit.aggregateId(), new BatchPlan.Verdict(culprit.eventVersion(), parking));
    }

    private static int waiting(Stream<Parking> parkings) {
        return Math.toIntExact(parkings.filter(BatchRun::isWaiting).count());
    }

    /** Whether it is parked until somebody looks at it. */
    private static boolean isWaiting(Parking parking) {
        return parking.nextTry().isEmpty();
    }

    private void suspect(EventEnvelope culprit, BatchAttempt<T> attempt, int index, Exception failure) throws LoopEnd {
        String error = ErrorText.of(context.store(), failure);
        condemn(
                culprit,
                attempt,
                rehearsed
                        ? context.policy().afterTransient(1, error) // at once counts as one
                        : context.policy().afterOutage(0, error));
        suspects = true;
        context.suspicion().counts(culprit.aggregateId());
        context.suspicion().failed(culprit.aggregateId());
        int next = index + 1;
        while (next < events.size() && verdicts.containsKey(events.get(next).aggregateId())) {
            next++;
        }
        boolean untried = next < events.size();
        if (context.suspicion().isOutage(verdicts.size(), untried, events.size())) {
            throw LoopEnd.outage(failure);
        }
        barren = untried ? next : events.size();
        size = 1;
    }
}
