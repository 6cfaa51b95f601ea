package dev.spream.core.subscription;

import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.SimulatedConsumer.Shape;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * One simulated history, from one seed: a world, a storage that survives, and process after process that reads the one and
 * writes the other, until the subscription is completed. The same seed gives the same history, call by call.
 */
final class Simulation {
    private static final int MAX_RUNS = 150;

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
    private final Shape shape;
    private final int maxOpenQueries;
    private long onlyCrashAt;
    private long moments;

    private Simulation(long seed, SimulationHistory history, SimulationSabotage sabotage) {
        this.random = new SplittableRandom(seed);
        this.history = history;
        this.sabotage = sabotage;
        this.trouble = new SimulatedTrouble(random.split(), tally);
        this.machine = new SimulatedMachine(random.split(), random.nextInt(4) > 0);
        this.world = new SimulatedWorldBuilder(random.split(), tally).build();
        this.surviving = new InMemoryPartitionStorage(machine::instant);
        this.options = SimulatedOptions.draw(random.split(), world).build();
        this.shape = Shape.values()[random.nextInt(Shape.values().length)];
        this.maxOpenQueries = 1 + random.nextInt(100);
        this.judge = new SimulationJudge(
                machine, world, options, options.effectiveOrdering(), letters, surviving, tally, maxOpenQueries);
    }

    /** A history in which all promises are kept, or else throws what shows the contrary. What happened is added up. */
    static void run(long seed, SimulationTally total) {
        run(seed, total, new SimulationHistory(false), SimulationSabotage.NONE);
    }

    static void run(long seed, SimulationTally total, SimulationHistory history, SimulationSabotage sabotage) {
        Simulation simulation = new Simulation(seed, history, sabotage);
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
        Simulation simulation = new Simulation(seed, new SimulationHistory(false), SimulationSabotage.NONE);
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

    /** What keeps the service running: starts a process, and another one when that has ended, until all is done. */
    private void operate() {
        SimulatedProcess operator = machine.process("operator", 0);
        int disturbedRuns = random.nextInt(6);
        long worldTime = Duration.between(world.start, world.end).toNanos();
        operator.sleepUninterruptibly(random.nextInt(3) * (1 + worldTime) / 2 + random.nextLong(2) * worldTime);
        for (int run = 1; run <= MAX_RUNS; run++) {
            SimulatedProcess process = machine.process("worker-" + run, random.nextLong());
            SimulatedPorts ports = new SimulatedPorts(process, trouble, history);
            SimulatedWorker worker = worker(ports);
            if (onlyCrashAt > 0) {
                ports.crashAt(run == 1 ? onlyCrashAt : Long.MAX_VALUE);
            } else if (run <= disturbedRuns) {
                worker.disturb(random, options.leaseTime());
            }
            boolean completed = worker.run(operator);
            moments = ports.calls();
            if (completed) {
                judge.completed();
                return;
            }
            operator.sleepUninterruptibly(random.nextLong(options.leaseTime().toNanos() * 2));
        }
        throw judge.violated(Promise.PROGRESS, "not completed after %d runs", MAX_RUNS);
    }

    private SimulatedWorker worker(SimulatedPorts ports) {
        SimulatedProcess process = ports.process;
        ChangeStreamSource source = sabotage.source(new SimulatedSource(world, ports, judge, maxOpenQueries));
        PartitionStorage storage = sabotage.storage(SimulatedStorage.of(surviving, ports, judge), process);
        SubscriberOptions.Builder ofProcess = options.toBuilder()
                .worker(new WorkerId(process.toString()))
                .errorHandler(new SimulatedErrorHandler(ports, judge))
                .deadLetterSink(new SimulatedSink(letters, ports, judge))
                .listener(new SimulatedListener(ports, judge));
        if (surviving.subscription().isEmpty() || random.nextBoolean()) {
            ofProcess.startAt(world.start); // else from the storage
        }
        Subscriber subscriber = Subscriber.builder(source, storage)
                .options(sabotage.options(ofProcess.build()))
                .time(process)
                .random(random.split())
                .build();
        return new SimulatedWorker(
                ports,
                judge,
                subscriber,
                sabotage.consumer(new SimulatedConsumer(ports, judge).shaped(shape), process));
    }
}
