package dev.spream.spring;

import dev.spream.api.Spream;
import dev.spream.api.health.SubscriptionHealth;
import dev.spream.core.LoggedFailure;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.PartitionProgress;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.core.subscription.SubscriptionView;
import dev.spream.spring.SubscriptionStatus.Phase;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription that runs on a thread of its own, and can be started again after it was stopped. The thread keeps the
 * process alive, as that of a web server does. Safe for use by many threads.
 */
final class ManagedSubscription implements SubscriptionListener {
    private static final Logger log = LoggerFactory.getLogger(SpreamSubscriptions.class);

    private final String name;
    private final Spream.Builder builder;
    private final SubscriptionHealth health = new SubscriptionHealth(InstantSource.system());
    private final AtomicLong settled = new AtomicLong();
    private volatile @Nullable SubscriptionView view;

    // Guarded by this.
    private Phase phase = Phase.STOPPED;
    private @Nullable Spream next; // validated, and not run yet
    private @Nullable Run running;
    private @Nullable Runnable following; // the failure action of a run that is started while this one drains
    private String failure = "";

    ManagedSubscription(String name, Spream.Builder builder) {
        this.name = name;
        this.builder = builder.listener(this).listener(health);
    }

    String name() {
        return name;
    }

    /**
     * Validates the configuration, and opens nothing.
     *
     * @throws dev.spream.api.config.ConfigException if it is invalid
     */
    synchronized void validate() {
        next = builder.build();
    }

    /** Starts a run, unless one is in progress; one that is draining is followed by another. */
    synchronized void start(Runnable onFailure) {
        if (running != null) {
            following = phase == Phase.DRAINING ? onFailure : null;
            return;
        }
        Run run = new Run(next == null ? builder.build() : next, onFailure, new CountDownLatch(1));
        next = null;
        Thread thread = new Thread(() -> run(run), "spream-" + name);
        thread.setDaemon(false);
        thread.start(); // its end waits for this method
        running = run;
        phase = Phase.STARTING;
        failure = "";
    }

    private void run(Run run) {
        try {
            CompletionReason reason = run.spream().run();
            log.info("[{}] ended: {}", name, reason);
            ended(run, reason == CompletionReason.COMPLETED ? Phase.COMPLETED : Phase.STOPPED, "");
        } catch (Throwable t) { // the thread's last act: an error ends the subscription, too
            log.error(
                    "[{}] the subscription has failed for good; settled changes are stored, and the others are delivered after a restart of the application",
                    name,
                    LoggedFailure.of(t));
            ended(run, Phase.FAILED, LoggedFailure.brief(t));
            run.onFailure().run();
        }
    }

    private synchronized void ended(Run run, Phase last, String reason) {
        phase = last;
        failure = reason;
        running = null;
        run.ended().countDown();
        Runnable again = following;
        following = null;
        if (again != null) {
            start(again);
        }
    }

    /**
     * Drains the run, and waits for its end, except on a thread that the run waits for; a run that takes too long is
     * interrupted.
     */
    void stop() {
        Run run;
        synchronized (this) {
            if (next != null) {
                next.close();
                next = null;
            }
            following = null;
            run = running;
            phase = run == null ? phase : Phase.DRAINING;
        }
        if (run == null) {
            return;
        }
        if (!run.spream().shutdown()) {
            log.warn(
                    "[{}] changes in flight did not finish in time and were interrupted; they are delivered again after a restart",
                    name);
        }
        if (!run.spream().isRunning()) {
            run.awaitEnd();
        }
    }

    synchronized boolean isRunning() {
        return running != null;
    }

    synchronized boolean hasFailed() {
        return phase == Phase.FAILED;
    }

    SubscriptionStatus status() {
        Optional<SubscriptionView> known = Optional.ofNullable(view);
        Phase now;
        String reason;
        synchronized (this) {
            now = phase;
            reason = failure;
        }
        List<PartitionProgress> held = known.map(SubscriptionView::held).orElse(List.of());
        return new SubscriptionStatus(name, now, problem(now, reason, held), held, known);
    }

    private Optional<String> problem(Phase now, String reason, List<PartitionProgress> held) {
        return switch (now) {
            case FAILED -> Optional.of("the subscription has failed for good: " + reason);
            case STARTING, RUNNING, DRAINING -> {
                health.look(held, settled.get());
                yield health.problem();
            }
            case STOPPED, COMPLETED -> Optional.empty();
        };
    }

    @Override
    public void started(SubscriptionView subscription) {
        view = subscription;
        synchronized (this) {
            phase = phase == Phase.STARTING ? Phase.RUNNING : phase;
        }
    }

    @Override
    public void settled(PartitionToken partition, DataChangeRecord change, Outcome outcome, Duration consumeTime) {
        settled.incrementAndGet();
    }

    /** A run on a thread of its own; it has ended once the phase says so. */
    private record Run(Spream spream, Runnable onFailure, CountDownLatch ended) {
        void awaitEnd() {
            try {
                ended.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
