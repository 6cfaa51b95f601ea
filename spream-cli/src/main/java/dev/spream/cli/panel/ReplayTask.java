package dev.spream.cli.panel;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.cli.http.PanelCommand.Outcome;
import dev.spream.cli.output.Members;
import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.ReplayResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replay of dead letters in this process: one at a time, continued after its request. It opens the dead letters
 * and the sink for itself, and closes them at its end. Safe for use by many threads.
 */
final class ReplayTask implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReplayTask.class);
    private static final long WAIT_SECONDS = 5;
    private static final Duration STOPPING = Duration.ofSeconds(5);

    private final Callable<ConfiguredDeadLetters> opening;
    private final AtomicInteger replayed = new AtomicInteger();

    // Guarded by this.
    private @Nullable Running latestRun;
    private Instant since = Instant.EPOCH;
    private boolean stopping;
    private String latest = "";

    ReplayTask(Callable<ConfiguredDeadLetters> opening) {
        this.opening = opening;
    }

    private record Running(Thread thread, FutureTask<Outcome> task) {}

    @FunctionalInterface
    interface Work {
        ReplayResult run(DeadLetterReplay replay) throws InterruptedException;
    }

    /** Starts a replay and waits for it a short time. */
    Outcome run(Work work) throws InterruptedException {
        FutureTask<Outcome> started = new FutureTask<>(() -> replay(work));
        Thread starting = Thread.ofVirtual().name("spream-http-replay").unstarted(started);
        synchronized (this) {
            if (running().isPresent()) {
                return new Outcome(
                        false, "another replay runs since %s: stop it, or wait; nothing was started".formatted(since));
            }
            latestRun = new Running(starting, started);
            since = Instant.now();
            stopping = false;
            latest = "";
            replayed.set(0);
            starting.start();
        }
        try {
            return started.get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return new Outcome(true, "the replay has started; the panel shows its result");
        } catch (ExecutionException e) {
            throw new IllegalStateException("the replay ended unexpectedly; letters not replayed stay open", e);
        }
    }

    private Outcome replay(Work work) {
        Outcome outcome = outcome(work);
        log.info("page: replay: {}", outcome.text());
        note(outcome.text());
        return outcome;
    }

    private Outcome outcome(Work work) {
        try (ConfiguredDeadLetters configured = opening.call()) {
            return outcome(configured, work);
        } catch (InterruptedException e) {
            return stopped();
        } catch (Exception | LinkageError e) {
            return new Outcome(
                    false,
                    "the replay failed after %d were replayed; the others stay open: %s"
                            .formatted(replayed.get(), LoggedFailure.brief(e)));
        }
    }

    /** Clears an interrupt, so that the sink is closed in order. */
    private Outcome outcome(ConfiguredDeadLetters configured, Work work) {
        try {
            DeadLetterReplay replay = DeadLetterReplay.of(
                            configured.letters(), StoppableConsumer.of(configured.consumer(), this::isStopping))
                    .onReplayed(letter -> replayed.incrementAndGet());
            ReplayReport report = new ReplayReport(work.run(replay));
            return new Outcome(report.isComplete(), report + firstRefused(report.result()));
        } catch (InterruptedException e) {
            return stopped();
        } finally {
            Thread.interrupted();
        }
    }

    private Outcome stopped() {
        return new Outcome(
                false, "the replay was stopped after %d were replayed; the others stay open".formatted(replayed.get()));
    }

    /** Returns the first refused letter with the class of the exception, whose message may contain data. */
    private static String firstRefused(ReplayResult result) {
        return result.refused().stream()
                .findFirst()
                .map(refused -> "; first refused: %s (%s)"
                        .formatted(
                                refused.identity(), refused.cause().getClass().getSimpleName()))
                .orElse("");
    }

    private synchronized void note(String result) {
        latest = result;
    }

    private synchronized String result() {
        return latest;
    }

    private synchronized Optional<Thread> running() {
        return Optional.ofNullable(latestRun)
                .filter(run -> !run.task().isDone())
                .map(Running::thread);
    }

    synchronized Members members() {
        Members members = new Members().put("running", running().isPresent()).put("stopping", stopping);
        if (latestRun != null) {
            members.put("since", since).put("replayed", replayed.get());
        }
        return latest.isEmpty() ? members : members.put("result", latest);
    }

    /** Interrupts a running replay and waits for it a short time; its other letters stay open. */
    Outcome stop() throws InterruptedException {
        Optional<Thread> running = interrupt();
        if (running.isEmpty()) {
            return new Outcome(false, "no replay runs in this process; nothing was stopped");
        }
        return running.get().join(STOPPING)
                ? new Outcome(true, result())
                : new Outcome(
                        false,
                        "the replay was told to stop, and its sink has not returned within %s; its letters stay open, and it stops when the sink returns"
                                .formatted(DurationText.of(STOPPING)));
    }

    private synchronized Optional<Thread> interrupt() {
        Optional<Thread> running = running();
        stopping = running.isPresent();
        running.ifPresent(Thread::interrupt);
        return running;
    }

    private synchronized boolean isStopping() {
        return stopping;
    }

    @Override
    public void close() {
        try {
            Optional<Thread> running = interrupt();
            if (running.isPresent() && !running.get().join(STOPPING)) {
                log.warn("page: a replay has not ended within {}; its letters stay open", DurationText.of(STOPPING));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
