package dev.spream.testkit.memory;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ParkedSummary;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RebuildProgress;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.SegmentShare;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ProjectionScenario;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Stores that do not keep the contract, each in one way. */
final class SpoiltProjectionStores {
    private SpoiltProjectionStores() {}

    /** Does what another store does; what extends it does one thing differently. */
    static class Forwarding implements ProjectionStore<Transaction> {
        final ProjectionStore<Transaction> target;

        Forwarding(ProjectionStore<Transaction> target) {
            this.target = target;
        }

        @Override
        public Class<Transaction> transactionType() {
            return target.transactionType();
        }

        @Override
        public ProjectionState register(String projection, int segments) {
            return target.register(projection, segments);
        }

        @Override
        public ProjectionState register(String projection, int segments, ProjectionCode code) {
            return target.register(projection, segments, code);
        }

        @Override
        public List<ProjectionVersion> versions(String projection) {
            return target.versions(projection);
        }

        @Override
        public boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<Transaction> create)
                throws Exception {
            return target.prepare(version, code, create);
        }

        @Override
        public Optional<String> outsideModel(ProjectionVersion version, Beginning beginning) throws Exception {
            return target.outsideModel(version, beginning);
        }

        @Override
        public long limit(ProjectionVersion version, int segment) {
            return target.limit(version, segment);
        }

        @Override
        public Map<String, Set<Long>> skipped(String projection) {
            return target.skipped(projection);
        }

        @Override
        public Optional<RebuildProgress> built(ProjectionVersion version) {
            return target.built(version);
        }

        @Override
        public ProjectionProgress progress(String projection, Set<String> aggregates) {
            return target.progress(projection, aggregates);
        }

        @Override
        public Optional<ProjectionState> state(String projection) {
            return target.state(projection);
        }

        @Override
        public SegmentShare holdSegments(
                String projection, ProjectionOwner owner, Set<Integer> release, Duration lease) {
            return target.holdSegments(projection, owner, release, lease);
        }

        @Override
        public void leave(String projection, ProjectionOwner owner) {
            target.leave(projection, owner);
        }

        @Override
        public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
            return target.apply(fence, keys, work);
        }

        @Override
        public FailureKind failureKind(Exception failure) {
            return target.failureKind(failure);
        }

        @Override
        public String describe(Exception failure) {
            return target.describe(failure);
        }

        @Override
        public Set<Integer> dueSegments(String projection) {
            return target.dueSegments(projection);
        }

        @Override
        public List<ParkedAggregate> due(Fence fence, int limit) {
            return target.due(fence, limit);
        }

        @Override
        public ParkedSummary parkedSummary(String projection) {
            return target.parkedSummary(projection);
        }

        @Override
        public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work)
                throws Exception {
            return target.retry(fence, key, limit, work);
        }

        @Override
        public boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking) {
            return target.postpone(fence, key, tried, parking);
        }

        @Override
        public void deadLetter(String projection, FeedItem.Undecodable item) {
            target.deadLetter(projection, item);
        }

        @Override
        public void report(String projection, long errors, Optional<String> lastError) {
            target.report(projection, errors, lastError);
        }

        @Override
        public boolean fail(Fence fence, long epoch, String error) {
            return target.fail(fence, epoch, error);
        }

        @Override
        public void close() {
            target.close();
        }
    }

    /** Writes for any owner, without checking segment or status. */
    static final class Unfenced extends Forwarding {
        private final ProjectionOperations operations;

        Unfenced(InMemoryProjectionStore memory, ProjectionStore<Transaction> target) {
            super(target);
            this.operations = memory.operations();
        }

        @Override
        public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
            return target.apply(now(fence), keys, work);
        }

        @Override
        public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work)
                throws Exception {
            return target.retry(now(fence), key, limit, work);
        }

        @Override
        public boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking) {
            return target.postpone(now(fence), key, tried, parking);
        }

        @Override
        public boolean fail(Fence fence, long epoch, String error) {
            return target.fail(now(fence), epoch, error);
        }

        /** Returns the fence of the current owner. */
        private Fence now(Fence fence) {
            Optional<ProjectionDetails> details = operations.show(fence.projection());
            return switch (fence) {
                case Fence.Whole whole ->
                    new Fence.Whole(
                            whole.projection(),
                            details.map(found -> found.state().epoch()).orElse(0L));
                case Fence.Segment held ->
                    details.flatMap(found -> found.segments().stream()
                                    .filter(segment -> segment.owner().isPresent())
                                    .filter(segment -> segment.segment() == held.segment())
                                    .findFirst())
                            .<Fence>map(segment -> held(held.projection(), segment))
                            .orElse(held);
            };
        }

        private static Fence held(String projection, ProjectionDetails.Segment segment) {
            String owner = segment.owner().orElseThrow();
            int slash = owner.indexOf('/');
            ProjectionOwner holder =
                    new ProjectionOwner(owner.substring(0, slash), UUID.fromString(owner.substring(slash + 1)));
            return new Fence.Segment(projection, holder, segment.segment(), segment.epoch());
        }
    }

    /** Commits what a work had written before it failed. */
    static final class KeepsEffectsOfFailures extends Forwarding {
        KeepsEffectsOfFailures(ProjectionStore<Transaction> target) {
            super(target);
        }

        @Override
        public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
            AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
            boolean applied = target.apply(fence, keys, (transaction, states) -> {
                try {
                    return work.apply(transaction, states);
                } catch (Exception e) {
                    failure.set(e);
                    return ProjectionScenario.NOTHING;
                }
            });
            rethrow(failure.get());
            return applied;
        }

        @Override
        public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work)
                throws Exception {
            AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
            Optional<AggregateState> state = target.retry(fence, key, limit, (transaction, lastVersion, events) -> {
                try {
                    return work.apply(transaction, lastVersion, events);
                } catch (Exception e) {
                    failure.set(e);
                    return lastVersion;
                }
            });
            rethrow(failure.get());
            return state;
        }

        private static void rethrow(@Nullable Exception failure) throws Exception {
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** Writes the effects of a batch, and something else of its progress. */
    static final class ChangesProgress extends Forwarding {
        private final UnaryOperator<BatchCheckpoint> change;

        ChangesProgress(ProjectionStore<Transaction> target, UnaryOperator<BatchCheckpoint> change) {
            super(target);
            this.change = change;
        }

        @Override
        public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
            return target.apply(fence, keys, (transaction, states) -> change.apply(work.apply(transaction, states)));
        }

        static BatchCheckpoint withoutVersions(BatchCheckpoint progress) {
            return new BatchCheckpoint(
                    Map.of(), progress.parked(), progress.setAside(), progress.position(), progress.last());
        }

        static BatchCheckpoint withoutPosition(BatchCheckpoint progress) {
            return new BatchCheckpoint(
                    progress.versions(), progress.parked(), progress.setAside(), OptionalLong.empty(), progress.last());
        }

        static BatchCheckpoint withoutParked(BatchCheckpoint progress) {
            return new BatchCheckpoint(progress.versions(), Map.of(), List.of(), progress.position(), progress.last());
        }

        /** Loses the parked events behind the first one. */
        static BatchCheckpoint withFirstEvents(BatchCheckpoint progress) {
            Map<String, EventEnvelope> first = new HashMap<>();
            progress.setAside().stream()
                    .filter(event -> progress.parked().containsKey(event.aggregateId()))
                    .forEach(event -> first.putIfAbsent(event.aggregateId(), event));
            return new BatchCheckpoint(
                    progress.versions(),
                    progress.parked(),
                    List.copyOf(first.values()),
                    progress.position(),
                    progress.last());
        }

        /** Has parked aggregates due at once. */
        static BatchCheckpoint withoutDelays(BatchCheckpoint progress) {
            Map<String, ParkDecision> parked = new HashMap<>();
            progress.parked()
                    .forEach((key, parking) -> parked.put(
                            key,
                            new ParkDecision(
                                    parking.reason(),
                                    parking.attempts(),
                                    parking.error(),
                                    Optional.of(Duration.ZERO))));
            return new BatchCheckpoint(
                    progress.versions(), parked, progress.setAside(), progress.position(), progress.last());
        }
    }

    /** Reads the stored state before it waits for concurrent writers. */
    static final class ReadsTooEarly extends Forwarding {
        private final ProjectionMemory memory;

        ReadsTooEarly(InMemoryProjectionStore memory, ProjectionStore<Transaction> target) {
            super(target);
            this.memory = memory.memory();
        }

        @Override
        public boolean apply(Fence fence, Set<String> keys, Work<Transaction> work) throws Exception {
            Map<String, AggregateState> early = new HashMap<>();
            memory.locked(() -> memory.find(fence.projection())
                    .ifPresent(found -> keys.forEach(key -> early.put(key, found.keyState(key)))));
            return target.apply(fence, keys, (transaction, states) -> work.apply(transaction, early));
        }
    }

    /** Remembers another version of a retry than its work returned. */
    static final class ForgetsRetries extends Forwarding {
        private final boolean all;

        /** @param all whether it forgets all events that were tried, or none */
        ForgetsRetries(ProjectionStore<Transaction> target, boolean all) {
            super(target);
            this.all = all;
        }

        @Override
        public Optional<AggregateState> retry(Fence fence, String key, int limit, RetryWork<Transaction> work)
                throws Exception {
            return target.retry(fence, key, limit, (transaction, lastVersion, events) -> {
                long version = work.apply(transaction, lastVersion, events);
                long last = events.getLast().eventVersion();
                return all ? Math.max(version, last) : lastVersion;
            });
        }
    }

    /** Gives segments out without a lease. */
    static final class IgnoresLeases extends Forwarding {
        IgnoresLeases(ProjectionStore<Transaction> target) {
            super(target);
        }

        @Override
        public SegmentShare holdSegments(
                String projection, ProjectionOwner owner, Set<Integer> release, Duration lease) {
            return target.holdSegments(projection, owner, release, Duration.ZERO);
        }
    }

    /** Keeps the segments of owners that have left or died. */
    static final class KeepsSegments extends Forwarding {
        KeepsSegments(ProjectionStore<Transaction> target) {
            super(target);
        }

        @Override
        public SegmentShare holdSegments(
                String projection, ProjectionOwner owner, Set<Integer> release, Duration lease) {
            return target.holdSegments(projection, owner, Set.of(), Duration.ofDays(10_000));
        }

        @Override
        public void leave(String projection, ProjectionOwner owner) {}
    }

    /** Begins read models again and again. */
    static final class ForgetsModels extends Forwarding {
        ForgetsModels(ProjectionStore<Transaction> target) {
            super(target);
        }

        @Override
        public Optional<String> outsideModel(ProjectionVersion version, Beginning beginning) throws Exception {
            return Optional.of(beginning.begin());
        }
    }

    /** Says that it has prepared versions. */
    static final class NeverPrepares extends Forwarding {
        NeverPrepares(ProjectionStore<Transaction> target) {
            super(target);
        }

        @Override
        public boolean prepare(ProjectionVersion version, ProjectionCode code, Preparation<Transaction> create) {
            return true;
        }
    }

    /** Keeps what is no event each time that it comes. */
    static final class RepeatsDeadLetters extends Forwarding {
        private int letters;

        RepeatsDeadLetters(ProjectionStore<Transaction> target) {
            super(target);
        }

        @Override
        public void deadLetter(String projection, FeedItem.Undecodable item) {
            String origin = item.origin() + " " + letters++;
            target.deadLetter(
                    projection,
                    new FeedItem.Undecodable(
                            item.deliveryId(), origin, item.bytes(), item.attributes(), item.reason(), item.at()));
        }
    }

    /** Fails a projection that was stopped and resumed since. */
    static final class FailsInAnyEpoch extends Forwarding {
        FailsInAnyEpoch(ProjectionStore<Transaction> target) {
            super(target);
        }

        @Override
        public boolean fail(Fence fence, long epoch, String error) {
            return target.state(fence.projection())
                    .filter(state -> target.fail(fence, state.epoch(), error))
                    .isPresent();
        }
    }

    /** Says that it does things which are no effects, and does not. */
    static final class DoesNothingElse extends Forwarding {
        DoesNothingElse(ProjectionStore<Transaction> target) {
            super(target);
        }

        @Override
        public ProjectionProgress progress(String projection, Set<String> aggregates) {
            return new ProjectionProgress(ProjectionStatus.RUNNING, Long.MAX_VALUE, Map.of(), Set.of());
        }

        @Override
        public boolean postpone(Fence fence, String key, RetryGuard tried, ParkDecision parking) {
            return true;
        }

        @Override
        public Set<Integer> dueSegments(String projection) {
            return Set.of();
        }

        @Override
        public ParkedSummary parkedSummary(String projection) {
            return ParkedSummary.NONE;
        }

        @Override
        public void deadLetter(String projection, FeedItem.Undecodable item) {}

        @Override
        public void report(String projection, long errors, Optional<String> lastError) {}

        @Override
        public boolean fail(Fence fence, long epoch, String error) {
            return true;
        }
    }
}
