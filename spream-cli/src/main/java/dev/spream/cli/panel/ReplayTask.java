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
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The replay of dead letters in this process: one at a time, continued after its request. Safe for use by many threads. */
final class ReplayTask implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReplayTask.class);
    private static final long WAIT_SECONDS = 5;
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final AtomicInteger replayed = new AtomicInteger();

    // Guarded by this.
    private @Nullable Thread thread;
    private Instant since = Instant.EPOCH;
    private String latest = "";

    @FunctionalInterface
    interface Work {
        List<ReplayResult> run(DeadLetterReplay replay) throws InterruptedException;
    }

    /** Starts a replay and waits for it a short time. */
    Outcome run(ConfiguredDeadLetters configured, Work work) throws InterruptedException {
        FutureTask<Outcome> started = new FutureTask<>(() -> replay(configured, work));
        Thread running = Thread.ofVirtual().name("spream-http-replay").unstarted(started);
        synchronized (this) {
            if (thread != null && thread.isAlive()) {
                return new Outcome(false, "another replay runs since %s; nothing was started".formatted(since));
            }
            thread = running;
            since = Instant.now();
            latest = "";
            replayed.set(0);
        }
        running.start();
        try {
            return started.get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return new Outcome(true, "the replay has started; the panel shows its result");
        } catch (ExecutionException e) {
            throw new IllegalStateException("the replay ended unexpectedly; letters not replayed stay open", e);
        }
    }

    private Outcome replay(ConfiguredDeadLetters configured, Work work) {
        Outcome outcome = outcome(configured, work);
        log.info("page: replay: {}", outcome.text());
        note(outcome.text());
        return outcome;
    }

    private Outcome outcome(ConfiguredDeadLetters configured, Work work) {
        try {
            DeadLetterReplay replay = DeadLetterReplay.of(configured.letters(), configured.consumer())
                    .onReplayed(letter -> replayed.incrementAndGet());
            ReplayReport report = new ReplayReport(work.run(replay));
            return new Outcome(report.isComplete(), report + firstRefused(report));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Outcome(false, "the replay was interrupted; its other letters stay open");
        } catch (RuntimeException | LinkageError e) {
            return new Outcome(false, "the replay failed: " + LoggedFailure.brief(e));
        }
    }

    /** Returns the first refused letter with the class of the exception, whose message may contain data. */
    private static String firstRefused(ReplayReport report) {
        return report.results().stream()
                .flatMap(result -> result.refused().stream())
                .findFirst()
                .map(refused -> "; first refused: %s (%s)"
                        .formatted(
                                refused.identity(), refused.cause().getClass().getSimpleName()))
                .orElse("");
    }

    private synchronized void note(String result) {
        latest = result;
    }

    synchronized Members members() {
        boolean running = thread != null && thread.isAlive();
        Members members = new Members().put("running", running);
        if (thread != null) {
            members.put("since", since).put("replayed", replayed.get());
        }
        return latest.isEmpty() ? members : members.put("result", latest);
    }

    /** Interrupts a running replay and waits for it a short time; its other letters stay open. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            running = thread;
        }
        if (running == null) {
            return;
        }
        running.interrupt();
        try {
            if (!running.join(CLOSING)) {
                log.warn("page: a replay has not ended within {}; its letters stay open", DurationText.of(CLOSING));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
