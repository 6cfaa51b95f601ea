package dev.spream.testkit.projection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionState;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionStore.Work;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.SegmentShare;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.testkit.event.TestEvents;
import dev.spream.testkit.event.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;

/** A projection and its owners, for the tests of the contracts. */
public final class ProjectionScenario<T> implements AutoCloseable {
    static final String NAME = "balances";
    static final ProjectionOwner ANN = ProjectionOwner.of("ann");
    static final ProjectionOwner BOB = ProjectionOwner.of("bob");
    static final ProjectionOwner CARL = ProjectionOwner.of("carl");
    static final Duration LEASE = Duration.ofMinutes(1);
    static final Duration DELAY = Duration.ofSeconds(20);
    public static final Act ACT = new Act("ann@example", "because");

    private final ProjectionStoreFixture<T> fixture;
    private final Threads threads = new Threads();

    ProjectionScenario(ProjectionStoreFixture<T> fixture) {
        this.fixture = fixture;
    }

    /** The scenario as the parts of a contract use it. */
    interface Stage<T> {
        ProjectionScenario<T> given();
    }

    ProjectionStoreFixture<T> fixture() {
        return fixture;
    }

    ProjectionStore<T> store() {
        return fixture.store();
    }

    ProjectionOperations operations() {
        return fixture.operations();
    }

    Threads threads() {
        return threads;
    }

    /** Registers the projection with one segment, which Ann holds. */
    Fence running() {
        store().register(NAME, 1);
        return fence(ANN);
    }

    /** Registers the projection without segments. */
    Fence.Whole whole() {
        return new Fence.Whole(NAME, store().register(NAME, 0).epoch());
    }

    /** Returns the fence of the first segment that the owner holds. */
    Fence fence(ProjectionOwner owner) {
        List<SegmentLease> held = hold(owner).held();
        assertThat(held).as("segments of %s", owner).isNotEmpty();
        return fence(owner, held.getFirst());
    }

    static Fence fence(ProjectionOwner owner, SegmentLease lease) {
        return new Fence.Segment(NAME, owner, lease.segment(), lease.epoch());
    }

    SegmentShare hold(ProjectionOwner owner) {
        return store().holdSegments(NAME, owner, Set.of(), LEASE);
    }

    void letLeasesRunOut() {
        fixture.passTime(LEASE.plusSeconds(1));
    }

    ProjectionState state() {
        return store().state(NAME).orElseThrow();
    }

    /** Fails the projection as an owner of its present epoch. */
    boolean fail(Fence fence, String error) {
        long epoch =
                store().state(fence.projection()).map(ProjectionState::epoch).orElse(1L);
        return store().fail(fence, epoch, error);
    }

    ProjectionDetails details() {
        return operations().show(NAME).orElseThrow();
    }

    Map<String, Long> rows() {
        return fixture.rows();
    }

    /**
     * Applies events of some aggregates, each of which adds 1 to the row of its aggregate; returns whether the fence
     * held.
     */
    boolean apply(Fence fence, EventEnvelope... events) {
        return apply(fence, OptionalLong.empty(), events);
    }

    boolean apply(Fence fence, OptionalLong position, EventEnvelope... events) {
        Work<T> work = (transaction, states) -> {
            Map<String, Long> versions = new TreeMap<>();
            for (EventEnvelope event : events) {
                add(transaction, event.aggregateId());
                versions.put(event.aggregateId(), event.eventVersion());
            }
            return new BatchCheckpoint(versions, Map.of(), List.of(), position, last(events), events.length);
        };
        return run(fence, keys(events), work);
    }

    void add(T transaction, String row) throws Exception {
        fixture.write(transaction, row, fixture.read(transaction, row) + 1);
    }

    private static Optional<EventEnvelope> last(EventEnvelope... events) {
        return events.length == 0 ? Optional.empty() : Optional.of(events[events.length - 1]);
    }

    static Set<String> keys(EventEnvelope... events) {
        Set<String> keys = new TreeSet<>();
        for (EventEnvelope event : events) {
            keys.add(event.aggregateId());
        }
        return keys;
    }

    /** Applies the work; an exception fails the test. */
    boolean run(Fence fence, Set<String> keys, Work<T> work) {
        return run(store(), fence, keys, work);
    }

    static <T> boolean run(ProjectionStore<T> store, Fence fence, Set<String> keys, Work<T> work) {
        try {
            return store.apply(fence, keys, work);
        } catch (Exception e) {
            throw new AssertionError("the batch was not applied", e);
        }
    }

    /** Returns the stored state of an aggregate. */
    AggregateState keyState(Fence fence, String key) {
        List<AggregateState> states = new ArrayList<>();
        boolean applied = run(fence, Set.of(key), (transaction, found) -> {
            assertThat(found).containsOnlyKeys(key);
            states.addAll(found.values());
            return NOTHING;
        });
        assertThat(applied).as("the fence holds").isTrue();
        return states.getFirst();
    }

    public static final BatchCheckpoint NOTHING =
            new BatchCheckpoint(Map.of(), Map.of(), List.of(), OptionalLong.empty(), Optional.empty());

    /** Returns progress with the given last version. */
    public static BatchCheckpoint upTo(String key, long version) {
        return new BatchCheckpoint(Map.of(key, version), Map.of(), List.of(), OptionalLong.empty(), Optional.empty());
    }

    /** Parks an aggregate with its events in a range of versions. */
    void park(Fence fence, String key, ParkDecision parking, int from, int to) {
        List<EventEnvelope> events = TestEvents.events(key, from, to);
        park(fence, Map.of(key, parking), events);
    }

    /** Parks more events of parked aggregates. */
    void park(Fence fence, List<EventEnvelope> events) {
        park(fence, Map.of(), events);
    }

    private void park(Fence fence, Map<String, ParkDecision> parked, List<EventEnvelope> events) {
        BatchCheckpoint progress =
                new BatchCheckpoint(Map.of(), parked, events, OptionalLong.empty(), Optional.empty(), events.size());
        assertThat(run(fence, keys(events.toArray(EventEnvelope[]::new)), (transaction, states) -> progress))
                .as("the fence holds")
                .isTrue();
    }

    static ParkDecision transientlyFor(Duration delay) {
        return new ParkDecision(ParkReason.TRANSIENT, 1, "deadlock", Optional.of(delay));
    }

    public static final ParkDecision POISON = new ParkDecision(ParkReason.POISON, 4, "no such item", Optional.empty());
    static final ParkDecision GAP = new ParkDecision(ParkReason.GAP, 0, "version 1 is missing", Optional.empty());

    List<ParkedAggregate> parked() {
        return operations().parked(NAME, 100);
    }

    ParkedAggregate parked(String key) {
        return parked().stream()
                .filter(parked -> parked.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new AssertionError(key + " is not parked"));
    }

    List<String> due(Fence fence) {
        return store().due(fence, 100).stream().map(ParkedAggregate::key).toList();
    }

    /** Retries a parked aggregate; all events succeed, and add 1 each to its row. */
    Optional<AggregateState> retry(Fence fence, String key) {
        return retry(fence, key, new ArrayList<>());
    }

    /** Retries a parked aggregate, and adds the events of the attempt to {@code given}. */
    Optional<AggregateState> retry(Fence fence, String key, List<EventEnvelope> given) {
        try {
            return store().retry(fence, key, 100, (transaction, lastVersion, events) -> {
                for (EventEnvelope event : events) {
                    add(transaction, event.aggregateId());
                }
                given.addAll(events);
                return events.getLast().eventVersion();
            });
        } catch (Exception e) {
            throw new AssertionError("the retry failed", e);
        }
    }

    /** An open transaction in a thread of its own, which ends on request. */
    final class Open {
        private final CountDownLatch begun = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final Future<Boolean> call;

        private Open(Call call) {
            this.call = threads.start(() -> call.run(this));
            Threads.await(begun);
        }

        /** Blocks until the end is requested; called in the transaction. */
        void stay() {
            begun.countDown();
            Threads.await(end);
        }

        boolean end() {
            end.countDown();
            return Threads.resultOf(call);
        }
    }

    private interface Call {
        boolean run(ProjectionScenario<?>.Open open) throws Exception;
    }

    /** Starts a batch that has added 1 to the rows of some aggregates, with their new versions, and stays open. */
    Open applying(Fence fence, OptionalLong position, EventEnvelope... events) {
        return applying(fence, position, List.of(), events);
    }

    /** Starts a batch that also parks some events, and stays open. */
    Open applying(Fence fence, OptionalLong position, List<EventEnvelope> setAside, EventEnvelope... events) {
        Set<String> keys = keys(events);
        keys.addAll(keys(setAside.toArray(EventEnvelope[]::new)));
        return new Open(open -> store().apply(fence, keys, (transaction, states) -> {
            Map<String, Long> versions = new TreeMap<>();
            for (EventEnvelope event : events) {
                add(transaction, event.aggregateId());
                versions.put(event.aggregateId(), event.eventVersion());
            }
            open.stay();
            return new BatchCheckpoint(versions, Map.of(), setAside, position, last(events));
        }));
    }

    /** Starts a retry that has added 1 for each event, and stays open. */
    Open retrying(Fence fence, String key) {
        return new Open(open -> store().retry(fence, key, 100, (transaction, lastVersion, events) -> {
                    for (EventEnvelope event : events) {
                        add(transaction, event.aggregateId());
                    }
                    open.stay();
                    return events.getLast().eventVersion();
                })
                .isPresent());
    }

    @Override
    public void close() {
        threads.close();
    }
}
