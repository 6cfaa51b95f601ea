package dev.spream.core.subscription;

import dev.spream.core.SpreamException;
import dev.spream.core.StorageException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.subscription.SimulationViolation.Promise;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One process that runs a subscriber until that ends, or until it dies; and what disturbs it meanwhile. */
final class SimulatedWorker {
    private static final long LIMIT = Duration.ofHours(3).toNanos();
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMinutes(1);
    private static final double LONGEST_RUN_CALLS = 4000;

    private final SimulatedProcess process;
    private final SimulatedPorts ports;
    private final SimulationJudge judge;
    private final Subscriber subscriber;
    private final Consumer consumer;
    private @Nullable Thread runner;
    private boolean stopped;
    private boolean ended;
    private @Nullable CompletionReason result;
    private @Nullable Throwable thrown;

    SimulatedWorker(SimulatedPorts ports, SimulationJudge judge, Subscriber subscriber, Consumer consumer) {
        this.process = ports.process;
        this.ports = ports;
        this.judge = judge;
        this.subscriber = subscriber;
        this.consumer = consumer;
    }

    /** Chooses how the run is disturbed, if it is. */
    void disturb(RandomGenerator random, Duration leaseTime) {
        long call = (long) Math.exp(random.nextDouble(Math.log(LONGEST_RUN_CALLS)));
        long time = (long) Math.exp(random.nextDouble(Math.log(60e9)));
        long leases = random.nextLong(leaseTime.multipliedBy(3).toNanos());
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> ports.crashAt(call);
            case 3, 4, 5 -> ports.pauseAt(call, leases);
            case 6, 7, 8, 9 -> ports.outageAt(call, leases);
            case 10 -> stop(time, SimulationEvent.SHUTDOWN, () -> subscriber.shutdown(SHUTDOWN_TIMEOUT));
            case 11 -> stop(time, SimulationEvent.CLOSE, subscriber::close);
            case 12 -> stop(time, SimulationEvent.INTERRUPT, this::interrupt);
            default -> {}
        }
    }

    private void stop(long after, SimulationEvent event, Runnable stop) {
        process.start("stop", () -> {
            process.sleepUninterruptibly(after);
            if (!ended) {
                stopped = true;
                judge.shares.leaving(judge.run(process));
                ports.history.log(process, "%s", event);
                ports.count(event);
                stop.run();
            }
        });
    }

    private void interrupt() {
        if (runner != null) {
            runner.interrupt();
        }
    }

    /** Kills the process, as {@code kill -9} does. */
    void kill() {
        if (!ended && !process.isDead()) {
            ports.history.log(process, "is KILLED");
            process.kill();
        }
    }

    /** Returns whether it was stopped. */
    boolean wasStopped() {
        return stopped;
    }

    /** Runs, while the calling thread waits, and judges how it ended; whether the subscription is completed. */
    boolean run(SimulatedProcess operator) {
        ports.count(SimulationEvent.RUN);
        Thread waiting = Thread.currentThread();
        process.onKill(() -> {
            judge.gone(process);
            LockSupport.unpark(waiting);
        });
        runner = process.start("run", () -> {
            try {
                result = subscriber.run(consumer);
            } catch (SpreamException | Error | IllegalStateException e) {
                thrown = e;
            }
            ended = true;
            LockSupport.unpark(waiting);
        });
        try {
            operator.await(LIMIT, () -> ended || process.isDead());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return judged();
    }

    private boolean judged() {
        if (process.isDead()) {
            return false;
        }
        if (!ended) {
            throw judge.violated(Promise.PROGRESS, "%s does not come to an end", process);
        }
        ports.history.log(process, "ends with %s", String.valueOf(thrown == null ? result : thrown));
        judge.ended(process);
        process.kill();
        if (thrown != null && !SimulatedFailure.isSimulated(thrown)) {
            SimulationViolation violation = judge.violated(Promise.PROGRESS, "%s fails by itself: %s", process, thrown);
            violation.initCause(thrown);
            throw violation;
        }
        boolean timedOut = thrown instanceof StorageException failure && failure.retryable();
        // A pause may use up the time that the last writes have.
        boolean inTime = ports.of(SimulationEvent.OUTAGE) == 0 && ports.of(SimulationEvent.PAUSE) == 0;
        if (thrown != null && timedOut && inTime) {
            throw judge.violated(Promise.PROGRESS, "%s stops over a storage that may be back: %s", process, thrown);
        }
        if (thrown != null && !timedOut && !ports.hasReasonToFail()) {
            throw judge.violated(Promise.PROGRESS, "%s fails without a reason to stop: %s", process, thrown);
        }
        if (thrown == null && result != CompletionReason.COMPLETED && !stopped) {
            throw judge.violated(
                    Promise.PROGRESS, "%s ends with %s, and was not stopped", process, String.valueOf(result));
        }
        return result == CompletionReason.COMPLETED;
    }
}
