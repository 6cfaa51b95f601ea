package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.subscription.SimulatedMachine;
import dev.spream.core.subscription.SimulatedProcess;
import dev.spream.projection.FailureKind;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.testkit.event.QueueEventSource;
import dev.spream.testkit.memory.InMemoryEventStore;
import dev.spream.testkit.memory.InMemoryProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.memory.ProjectionSabotage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * One simulated history of a projection, from one seed: events are appended and delivered, twice and in another order
 * if the source is of that kind; managers run, die, are paused, stop and start again; calls of the store fail before or
 * after their effect; events fail, for a while or until they are fixed; an operator pauses, resumes, retries and skips;
 * and if the source has positions, versions are built, made live, and dropped. Then the faults end, one more manager
 * runs, and the read model of each version has to equal the fold of the events, and each event has to have had its side
 * effects once.
 */
public final class ProjectionSimulation {
    /** The events of a history, so that a test can check its coverage. */
    enum Event {
        KILLED,
        STOOD_STILL,
        STOPPED,
        PAUSED,
        FAILED,
        SKIPPED,
        RETRIED,
        POISONED,
        TRANSIENT,
        GAP,
        RESUMED,
        DUPLICATE,
        SEGMENT_LOST,
        REBUILT,
        CUT_OVER,
        ROLLED_BACK,
        EFFECTS_DROPPED,
        REFUSED,
        DROPPED
    }

    /** A defect that a simulation has to detect. */
    public enum Sabotage {
        NONE,
        /** The store puts positions back. */
        POSITION_BACK,
        /** The store forgets which events were applied. */
        FORGETFUL,
        /** The store loses parked events. */
        LOSSY_RETRY,
        /** A version that is not live gets ahead of the live one. */
        AHEAD,
        /** A version that is not live has side effects. */
        CANDIDATE_EFFECTS,
        /** A former owner of a segment continues to write after a cutover. */
        STALE_EPOCHS,
        /** The side effects before a cutover are not recorded. */
        FORGOTTEN_EFFECTS
    }

    private static final String NAME = "balances";
    private static final Duration TROUBLE = Duration.ofSeconds(15);
    private static final Duration AFTERWARDS = Duration.ofMinutes(10);
    private static final ProjectionOperations.Act ACT = new ProjectionOperations.Act("operator", "a simulation");

    private final SplittableRandom random;
    private final SimulatedMachine machine;
    private final InMemoryEventStore events = new InMemoryEventStore();
    private final QueueEventSource queue = new QueueEventSource();
    private final InMemoryProjectionStore database;
    private final ProjectionOperations operations;
    private final SimulatedVersions versions;
    private final ProjectionStore<Transaction> shared;
    private final boolean positioned;
    private final boolean folded;
    private final ProjectionOptions options;
    private final Map<Event, Long> tally = new EnumMap<>(Event.class);
    private final Set<String> poison = new HashSet<>();
    private final Set<String> failed = new HashSet<>();
    private final List<Thread> threads = new ArrayList<>();
    private @Nullable Map<String, Accounts.Balance> whilePaused;
    private boolean troubled = true;
    private int managers;

    private ProjectionSimulation(long seed, Sabotage sabotage) {
        random = new SplittableRandom(seed);
        machine = new SimulatedMachine(random.split(), random.nextInt(4) > 0);
        database = new InMemoryProjectionStore(machine::instant, time(machine.process("database", 0, Duration.ZERO)));
        operations = database.operations();
        versions = new SimulatedVersions(NAME, database, events);
        shared = ProjectionSabotage.of(sabotage, database);
        positioned = random.nextInt(3) > 0;
        folded = random.nextBoolean();
        options = new ProjectionOptions(
                1 << random.nextInt(3),
                random.nextInt(1, 20),
                Duration.ZERO,
                Duration.ofMillis(random.nextLong(1_000, 4_000)),
                random.nextInt(1, 6),
                Duration.ofMillis(random.nextLong(1, 200)),
                Duration.ofMillis(random.nextLong(200, 2_000)),
                ProjectionOptions.Gaps.WAIT,
                ProjectionOptions.DEFAULTS.maxParked(),
                ProjectionOptions.DEFAULTS.maxFailingPercent());
    }

    /** Runs a history, and adds up what happened in it. */
    static void run(long seed, Map<Event, Long> total, Sabotage sabotage) {
        ProjectionSimulation simulation = new ProjectionSimulation(seed, sabotage);
        simulation.machine.run(simulation::operate);
        simulation.tally.forEach((event, count) -> total.merge(event, count, Long::sum));
    }

    private void operate() {
        SimulatedProcess operator = machine.process("operator", 0, Duration.ZERO);
        threads.add(operator.start("producer", () -> produce(operator)));
        threads.add(operator.start("by-hand", () -> actAsOperator(operator)));
        if (positioned && random.nextInt(4) > 0) {
            SimulatedRebuilds rebuilds =
                    new SimulatedRebuilds(NAME, operator, operations.rebuilds(), versions, random.split(), this::count);
            threads.add(operator.start("rebuilds", () -> rebuilds.act(() -> troubled, TROUBLE.dividedBy(10))));
        }
        int count = random.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            threads.add(operator.start("slot-" + i, () -> keepRunning(operator)));
        }
        operator.sleepUninterruptibly(TROUBLE.toNanos());
        troubled = false;
        while (threads.stream().anyMatch(Thread::isAlive)) {
            operator.sleepUninterruptibly(options.lease().toNanos());
        }
        finish(operator);
        versions.judge();
    }

    private void produce(SimulatedProcess operator) {
        int keys = random.nextInt(1, 10);
        int count = random.nextInt(20, 150);
        for (int i = 0; i < count; i++) {
            String key = "account-" + random.nextInt(keys);
            EventEnvelope event = events.append(
                            key, ExpectedVersion.any(), List.of(Accounts.deposit(random.nextInt(100))))
                    .getFirst()
                    .event();
            if (random.nextInt(30) == 0) {
                poison.add(event.eventId());
            }
            deliver(event, key);
            if (random.nextInt(5) == 0) {
                operator.sleepUninterruptibly(random.nextLong(10 * TROUBLE.toNanos() / count));
            }
        }
    }

    /** Not always once; and sometimes late, so that what follows comes before. */
    private void deliver(EventEnvelope event, String key) {
        if (positioned) {
            return;
        }
        List<RecordedEvent> all = events.read(key, 0, Integer.MAX_VALUE);
        if (random.nextInt(10) == 0 && all.size() > 1) {
            queue.write(all.get(random.nextInt(all.size())).event());
        }
        if (random.nextInt(15) == 0) {
            machineAfter(random.nextLong(TROUBLE.toNanos() / 5), () -> queue.write(event));
        } else {
            queue.write(event);
        }
    }

    private void machineAfter(long nanos, Runnable action) {
        SimulatedProcess courier = machine.process("courier", 0, Duration.ZERO);
        threads.add(courier.start("courier", () -> {
            courier.sleepUninterruptibly(nanos);
            action.run();
        }));
    }

    private void actAsOperator(SimulatedProcess operator) {
        while (troubled) {
            operator.sleepUninterruptibly(random.nextLong(TROUBLE.toNanos() / 5));
            int what = random.nextInt(4);
            if (what == 0) {
                pauseForAWhile(operator);
            } else {
                versions.all().forEach(version -> intervene(version, what));
            }
        }
    }

    private void intervene(ProjectionVersion version, int how) {
        switch (how) {
            case 1 -> count(Event.RETRIED, operations.retry(versions.called(version), Optional.empty(), ACT));
            case 2 -> skipOne(version);
            default -> operations.resume(versions.called(version), ACT);
        }
    }

    private void pauseForAWhile(SimulatedProcess operator) {
        if (operations.pause(NAME, ACT)) {
            count(Event.PAUSED, 1);
            whilePaused = database.table(NAME);
            operator.sleepUninterruptibly(random.nextLong(options.lease().toNanos()));
            whilePaused = null;
            operations.resume(NAME, ACT);
        }
    }

    private void skipOne(ProjectionVersion version) {
        List<ParkedAggregate> parked = operations.parked(versions.called(version), 10).stream()
                .filter(key -> key.reason() == ParkReason.POISON)
                .toList();
        if (!parked.isEmpty()) {
            skip(version, parked.get(random.nextInt(parked.size())));
        }
    }

    private void skip(ProjectionVersion version, ParkedAggregate key) {
        try {
            if (operations.skip(versions.called(version), key.key(), key.firstVersion(), ACT)) {
                count(Event.SKIPPED, 1);
                versions.skipped(version, key.key(), key.firstVersion());
            }
        } catch (IllegalStateException e) {
            // one before it is missing
        }
    }

    /** One manager in a process of its own. */
    private final class Running {
        final SimulatedProcess process;
        final SimulatedProjectionStore store;
        final SimulatedEventSource source;
        final ProjectionManager<Transaction> manager;
        final Thread thread;

        Running() {
            managers++;
            process = machine.process("manager-" + managers, random.nextLong(), Duration.ZERO);
            long latency = options.lease().toNanos() / 40;
            store = new SimulatedProjectionStore(
                    shared, process, random.split(), () -> troubled, latency, ProjectionSimulation.this::observe);
            EventSource delivered = positioned ? events.source() : queue.another();
            source = new SimulatedEventSource(delivered, process, random.split(), () -> troubled);
            manager = manager(process, store, source);
            thread = process.start("manager", manager::run);
        }

        void kill(SimulatedProcess operator) {
            while (store.isInside()) {
                operator.sleepUninterruptibly(1_000_000);
            }
            count(Event.KILLED, 1);
            process.kill();
            source.close();
        }

        void stop(SimulatedProcess operator) {
            count(Event.STOPPED, 1);
            boolean patient = random.nextBoolean();
            Thread stopper = operator.start("stopper", () -> {
                if (patient) {
                    assertThat(manager.shutdown(Duration.ofHours(1))).isTrue();
                } else {
                    manager.close();
                }
            });
            long until = machine.now() + AFTERWARDS.toNanos();
            while (thread.isAlive() || stopper.isAlive()) {
                assertThat(machine.now())
                        .as("the time at which a manager has still not stopped")
                        .isLessThan(until);
                operator.sleepUninterruptibly(options.lease().toNanos() / 10);
            }
            source.close();
        }
    }

    /** Starts a manager, and another one when that has ended, as long as there is trouble. */
    private void keepRunning(SimulatedProcess operator) {
        while (troubled) {
            Running running = new Running();
            operator.sleepUninterruptibly(random.nextLong(3 * options.lease().toNanos()));
            switch (random.nextInt(4)) {
                case 0 -> running.kill(operator);
                case 1 -> {
                    count(Event.STOOD_STILL, 1);
                    running.process.pause(random.nextLong(2 * options.lease().toNanos()));
                    operator.sleepUninterruptibly(
                            random.nextLong(4 * options.lease().toNanos()));
                    running.stop(operator);
                }
                default -> running.stop(operator);
            }
        }
    }

    private void finish(SimulatedProcess operator) {
        Running last = new Running();
        long until = machine.now() + AFTERWARDS.toNanos();
        while (!versions.areDone()) {
            assertThat(machine.now())
                    .as(() -> "the time at which there are still to be finished " + versions.undone())
                    .isLessThan(until);
            versions.all().forEach(version -> {
                operations.resume(versions.called(version), ACT);
                operations.retry(versions.called(version), Optional.empty(), ACT);
            });
            operator.sleepUninterruptibly(Duration.ofMillis(500).toNanos());
        }
        last.stop(operator);
    }

    private ProjectionManager<Transaction> manager(
            SimulatedProcess process, ProjectionStore<Transaction> store, EventSource source) {
        return ProjectionManager.builder(store)
                .options(options)
                .add(projection(process, 1), source)
                .add(projection(process, 2), source)
                .listener(new Witness())
                .time(time(process), machine::instant)
                .random(new Random(random.nextLong()))
                .build();
    }

    private Balances projection(SimulatedProcess process, int revision) {
        return RebuiltAccounts.of(NAME, revision, folded).failing(event -> before(process, event));
    }

    private static MonotonicTime time(SimulatedProcess process) {
        return new MonotonicTime() {
            @Override
            public long nanoTime() {
                return process.nanoTime();
            }

            @Override
            public Instant instant() {
                return Instant.EPOCH.plusNanos(nanoTime());
            }

            @Override
            public long awaitNanos(Condition condition, long nanos) throws InterruptedException {
                return process.awaitNanos(condition, nanos);
            }
        };
    }

    /** Runs in a transaction before an event is applied. */
    private void before(SimulatedProcess process, EventEnvelope event) {
        if (!troubled) {
            return;
        }
        if (random.nextInt(40) == 0) {
            process.sleepUninterruptibly(random.nextLong(options.lease().toNanos() / 4));
        }
        if (poison.contains(event.eventId())) {
            throw failure(event, FailureKind.POISON);
        }
        if (isSick(event.aggregateId())) {
            throw failure(event, FailureKind.TRANSIENT);
        }
        switch (random.nextInt(400)) {
            case 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 -> throw failure(event, FailureKind.TRANSIENT);
            case 10 -> throw failure(event, FailureKind.FATAL);
            default -> {}
        }
    }

    /** Now and then some aggregates fail for a while, or all. */
    private boolean isSick(String key) {
        long epidemic = machine.now() / TROUBLE.dividedBy(6).toNanos();
        return switch ((int) (epidemic % 6)) {
            case 1, 2 -> Math.floorMod(key.hashCode() + epidemic, 4) == 0;
            case 4 ->
                machine.now() % TROUBLE.dividedBy(6).toNanos() < options.lease().toNanos() / 2;
            default -> false;
        };
    }

    private ProjectionException failure(EventEnvelope event, FailureKind kind) {
        failed.add(event.aggregateId());
        return new ProjectionException(kind, "simulated", null);
    }

    /** Checks the invariants whenever the database may have changed. */
    private void observe() {
        try {
            Map<String, Accounts.Balance> rows = database.table(NAME);
            Map<String, Accounts.Balance> before = whilePaused;
            if (before != null) {
                assertThat(rows)
                        .as("the read model while the projection is paused")
                        .isEqualTo(before);
            }
            versions.observe();
            versions.all().forEach(this::observeParked);
        } catch (Throwable t) {
            machine.fail(t);
        }
    }

    private void observeParked(ProjectionVersion version) {
        for (ParkedAggregate parked : operations.parked(versions.called(version), 100)) {
            if (positioned) {
                assertThat(failed).as("what has failed").contains(parked.key());
                assertThat(parked.reason()).isNotEqualTo(ParkReason.GAP);
            } else if (parked.reason() != ParkReason.GAP) {
                assertThat(failed).as("what has failed").contains(parked.key());
            }
        }
    }

    private void count(Event event, long times) {
        if (times > 0) {
            tally.merge(event, times, Long::sum);
        }
    }

    /** Counts what managers say. */
    private final class Witness implements ProjectionListener {
        @Override
        public void batchApplied(String projection, int applied, int duplicates, int parked, Duration took) {
            count(Event.DUPLICATE, duplicates);
        }

        @Override
        public void keyParked(String projection, String key, ParkDecision parking) {
            switch (parking.reason()) {
                case POISON -> count(Event.POISONED, 1);
                case TRANSIENT -> count(Event.TRANSIENT, 1);
                case GAP -> count(Event.GAP, 1);
            }
        }

        @Override
        public void keyResumed(String projection, String key) {
            count(Event.RESUMED, 1);
        }

        @Override
        public void statusChanged(String projection, ProjectionStatus status) {
            count(Event.FAILED, status == ProjectionStatus.FAILED ? 1 : 0);
        }

        @Override
        public void segmentLost(String projection, int segment) {
            count(Event.SEGMENT_LOST, 1);
        }
    }
}
