package dev.spream.core.subscription;

import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SimulatedConsumer.Shape;
import dev.spream.core.subscription.SimulatedCorrection.Kind;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Duration;
import java.time.InstantSource;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * One simulated history, from one seed: a world, a storage that survives, and processes that read the one and write the
 * other, one after the other or several at a time, until the subscription is completed. Each has a wall clock of its own,
 * and so has the storage; no two of them need to agree. The same seed gives the same history, call by call.
 */
final class Simulation {
    private static final int MAX_RUNS = 150;
    private static final int MAX_WORKERS = 4;

    /** As one worker that reads all partitions needs. */
    private static final int MANY_QUERIES = 1_000;

    /** Histories in which workers only join, and so have the time to share. */
    private static final int QUIET_ONE_IN = 6;

    /** Of a world that is almost over, in nanoseconds. */
    private static final long LONGEST_REST = 2_000_000_000L;

    private static final Duration LONGEST_SKEW = Duration.ofHours(12);

    private final SplittableRandom random;
    private final SimulationHistory history;
    private final SimulationSabotage sabotage;
    private final SimulationTally tally = new SimulationTally();
    private final SimulatedTrouble trouble;
    private final SimulatedMachine machine;
    private final SimulatedWorld world;
    private final PartitionStorage surviving;
    private final SimulatedDeadLetters letters = new SimulatedDeadLetters();
    private final SubscriberOptions options;
    private final SimulationJudge judge;
    private final SimulatedCorrection correction;
    private final Shape shape;
    private final int maxOpenQueries;
    private final int workers;
    private final int disturbedRuns;
    private int slotsDone;
    private int runs;
    private long onlyCrashAt;
    private long moments;

    private Simulation(long seed, SimulationHistory history, SimulationSabotage sabotage, boolean onlyOne) {
        this.random = new SplittableRandom(seed);
        this.history = history;
        this.sabotage = sabotage;
        this.trouble = new SimulatedTrouble(random.split());
        this.machine = new SimulatedMachine(random.split(), random.nextInt(4) > 0);
        TransactionMode mode = sabotage.transactions().orElse(transactionsOf(seed));
        boolean whole = mode != TransactionMode.OFF;
        this.world = sabotage.mode().orElse(modeOf(seed)) == PartitionMode.MUTABLE_KEY_RANGE
                ? new SimulatedMovesBuilder(random.split(), tally, whole).build()
                : new SimulatedWorldBuilder(random.split(), tally, whole).build();
        this.surviving = new InMemoryPartitionStorage(skewed(machine, skew()));
        RandomGenerator ofOptions = random.split();
        this.shape = sabotage.transactions().isPresent() ? Shape.TRANSACTION : Shape.draw(random, mode);
        this.options = SimulatedOptions.draw(ofOptions, world, mode, shape).build();
        this.maxOpenQueries = whole ? MANY_QUERIES : 1 + random.nextInt(100);
        this.judge = new SimulationJudge(
                machine,
                world,
                options,
                mode,
                surviving,
                tally,
                maxOpenQueries,
                trouble.longestLatency,
                sabotage.fences());
        this.correction = new SimulatedCorrection(
                new SplittableRandom(seed),
                onlyOne ? Kind.NONE : correctionOf(seed, sabotage, mode, world),
                world,
                machine,
                surviving,
                judge,
                tally,
                history,
                options.leaseTime());
        trouble.onStrike(judge.shares::disturbed);
        this.workers = onlyOne ? 1 : 1 + random.nextInt(MAX_WORKERS);
        if (random.nextInt(QUIET_ONE_IN) == 0) {
            trouble.end();
            this.disturbedRuns = 0;
        } else {
            this.disturbedRuns = random.nextInt(3 + 3 * workers);
        }
    }

    /** The mode of the histories of even seeds is that of mutable key ranges. */
    static PartitionMode modeOf(long seed) {
        return seed % 2 == 0 ? PartitionMode.MUTABLE_KEY_RANGE : PartitionMode.IMMUTABLE_KEY_RANGE;
    }

    /** Two of ten histories deliver whole transactions, two others in commit order; half of each are of even seeds. */
    static TransactionMode transactionsOf(long seed) {
        return switch ((int) Math.floorMod(seed, 10L)) {
            case 2, 7 -> TransactionMode.WHOLE;
            case 3, 8 -> TransactionMode.COMMIT_ORDER;
            default -> TransactionMode.OFF;
        };
    }

    /**
     * Rows of a snapshot have no commit order. With whole transactions, losses are those of partitions whose keys move.
     */
    private static Kind correctionOf(
            long seed, SimulationSabotage sabotage, TransactionMode mode, SimulatedWorld world) {
        Kind kind = sabotage == SimulationSabotage.NONE ? SimulatedCorrection.kindOf(seed) : sabotage.correction();
        if (kind == Kind.LOSS && !world.isMutable() && mode != TransactionMode.OFF) {
            return Kind.NONE;
        }
        return kind == Kind.SNAPSHOT && mode == TransactionMode.COMMIT_ORDER ? Kind.GAP : kind;
    }

    private static InstantSource skewed(SimulatedMachine machine, Duration skew) {
        return () -> machine.instant().plus(skew);
    }

    /** A history in which all promises are kept, or else throws what shows the contrary. What happened is added up. */
    static void run(long seed, SimulationTally total) {
        run(seed, total, new SimulationHistory(false), SimulationSabotage.NONE);
    }

    static void run(long seed, SimulationTally total, SimulationHistory history, SimulationSabotage sabotage) {
        Simulation simulation = new Simulation(seed, history, sabotage, false);
        simulation.describe(seed);
        try {
            simulation.machine.run(simulation::operate);
        } catch (Throwable t) {
            history.note(t);
            throw t;
        } finally {
            total.add(simulation.tally);
        }
    }

    /** At how many moments the process of a history without any trouble passes a port. */
    static long moments(long seed) {
        return untroubled(seed, Long.MAX_VALUE).moments;
    }

    /** A history with no other trouble than a crash of the first process, at that moment of its calls of ports. */
    static void runWithCrash(long seed, long moment) {
        if (untroubled(seed, moment).tally.of(SimulationEvent.CRASH) != 1) {
            throw new AssertionError("seed %d has no moment %d".formatted(seed, moment));
        }
    }

    private static Simulation untroubled(long seed, long crashAt) {
        Simulation simulation = new Simulation(seed, new SimulationHistory(false), SimulationSabotage.NONE, true);
        simulation.trouble.end();
        simulation.onlyCrashAt = crashAt;
        simulation.machine.run(simulation::operate);
        return simulation;
    }

    private void describe(long seed) {
        history.note("seed " + seed);
        history.note("subscription from %s to %s, %s, %s".formatted(world.start, world.end, shape, options));
        world.partitions().forEach(history::note);
        world.changes()
                .forEach(change -> history.note(
                        "%s: %s".formatted(change.partition().token, SimulationJudge.describe(change.row()))));
    }

    /** Runs workers side by side until all that are still wanted say that the subscription is completed. */
    private void operate() {
        SimulatedProcess operator = machine.process("operator", 0, Duration.ZERO);
        Thread waiting = Thread.currentThread();
        operator.start("correction", () -> correction.perform(operator));
        for (int slot = 0; slot < workers; slot++) {
            boolean first = slot == 0;
            operator.start("slot-" + slot, () -> {
                operator.sleepUninterruptibly(joinAfter(first));
                keepRunning(operator, first);
                slotsDone++;
                LockSupport.unpark(waiting);
            });
        }
        while (slotsDone < workers) {
            LockSupport.park(this);
        }
        judge.completed();
    }

    private long joinAfter(boolean first) {
        long worldTime = Duration.between(world.start, world.end).toNanos();
        if (world.isLong()) {
            tally.count(SimulationEvent.LONG_WORLD);
            return worldTime - random.nextLong(LONGEST_REST) + random.nextLong(LONGEST_REST);
        }
        long after = random.nextInt(3) * (1 + worldTime) / 2 + random.nextLong(2) * worldTime;
        if (!first) {
            tally.count(SimulationEvent.JOIN);
        }
        return first || random.nextBoolean() ? after : random.nextLong(1 + worldTime);
    }

    /** Starts a process, and another one when that has ended, until all is done. Not the first may leave for good. */
    private void keepRunning(SimulatedProcess operator, boolean first) {
        while (runs < MAX_RUNS) {
            correction.awaitOver(operator);
            int run = ++runs;
            SimulatedProcess process = machine.process("worker-" + run, random.nextLong(), skew());
            SimulatedPorts ports = new SimulatedPorts(process, trouble, history, judge, tally);
            SimulatedWorker worker = worker(ports);
            if (onlyCrashAt > 0) {
                ports.crashAt(run == 1 ? onlyCrashAt : Long.MAX_VALUE);
            } else if (run <= disturbedRuns) {
                worker.disturb(random, options.leaseTime());
            }
            correction.started(worker);
            boolean completed = worker.run(operator);
            correction.ended(worker);
            judge.storage.verify();
            moments = ports.calls();
            if (completed) {
                judge.completed();
                return;
            }
            if (!first && worker.wasStopped() && random.nextBoolean()) {
                tally.count(SimulationEvent.LEAVE);
                return;
            }
            operator.sleepUninterruptibly(random.nextLong(options.leaseTime().toNanos() * 2));
        }
        throw judge.violated(Promise.PROGRESS, "not completed after %d runs", MAX_RUNS);
    }

    /** Returns the offset of a wall clock from the true time. */
    private Duration skew() {
        return random.nextBoolean()
                ? Duration.ZERO
                : Duration.ofMillis(random.nextLong(-LONGEST_SKEW.toMillis(), LONGEST_SKEW.toMillis()));
    }

    private SimulatedWorker worker(SimulatedPorts ports) {
        SimulatedProcess process = ports.process;
        ChangeStreamSource source = sabotage.source(new SimulatedSource(world, ports, judge, maxOpenQueries));
        PartitionStorage storage =
                sabotage.storage(SimulatedStorage.of(sabotage.surviving(surviving), ports, judge), process);
        SubscriberOptions.Builder ofProcess = options.toBuilder()
                .worker(new WorkerId(process.toString()))
                .errorHandler(new SimulatedErrorHandler(ports, judge))
                .deadLetterSink(new SimulatedSink(letters, ports, judge))
                .listener(new SimulatedListener(ports, judge));
        if (judge.transactions.isOn()) {
            ofProcess.transactionBuffer(() -> new SimulatedBuffer(ports, judge));
        }
        if (surviving.subscription().isEmpty() || random.nextBoolean()) {
            ofProcess.startAt(world.start); // else from the storage
        }
        Subscriber subscriber = Subscriber.builder(source, storage)
                .options(sabotage.options(ofProcess.build()))
                .time(sabotage.time(process))
                .random(random.split())
                .build();
        return new SimulatedWorker(
                ports,
                judge,
                subscriber,
                sabotage.consumer(new SimulatedConsumer(ports, judge).shaped(shape), process));
    }
}
