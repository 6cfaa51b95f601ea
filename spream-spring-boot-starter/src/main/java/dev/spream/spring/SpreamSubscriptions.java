package dev.spream.spring;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The subscriptions of an application. They start with the application context, after the web server, and drain when it
 * is closed, before everything else stops; those that do not drain in time are interrupted. Safe for use by many threads.
 */
public final class SpreamSubscriptions implements SmartLifecycle {
    /** The phase of the life cycle: after the web server, and before it at the end. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 512;

    private static final Logger log = LoggerFactory.getLogger(SpreamSubscriptions.class);

    private final List<ManagedSubscription> subscriptions;
    private final boolean autoStartup;
    private final Runnable onFailure;
    private volatile boolean started;

    SpreamSubscriptions(List<ManagedSubscription> subscriptions, boolean autoStartup, Runnable onFailure) {
        this.subscriptions = List.copyOf(subscriptions);
        this.autoStartup = autoStartup;
        this.onFailure = requireNonNull(onFailure, "onFailure");
    }

    /** Returns the status of every subscription, by name. */
    public List<SubscriptionStatus> statuses() {
        return subscriptions.stream().map(ManagedSubscription::status).toList();
    }

    /**
     * Returns the status of a subscription.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public SubscriptionStatus status(String subscription) {
        return find(subscription).status();
    }

    /**
     * Starts a subscription; has no effect on one that runs. One that drains starts again when it has ended.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public void start(String subscription) {
        started = true;
        find(subscription).start(onFailure);
    }

    /**
     * Drains a subscription, and waits for its end, except when called by its consumer or another part of it; has no
     * effect on one that does not run.
     *
     * @throws IllegalArgumentException if there is none of this name
     */
    public void stop(String subscription) {
        find(subscription).stop();
    }

    private ManagedSubscription find(String name) {
        return subscriptions.stream()
                .filter(known -> RelaxedName.same(known.name(), name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no subscription %s; there are %s"
                        .formatted(
                                name,
                                subscriptions.stream()
                                        .map(ManagedSubscription::name)
                                        .toList())));
    }

    @Override
    public void start() {
        started = true;
        if (subscriptions.isEmpty()) {
            log.info("there is no subscription: declare a bean of type Consumer, or configure a sink in"
                    + " spream.subscriptions.<name>.sink");
        }
        subscriptions.forEach(subscription -> subscription.start(onFailure));
    }

    /** Drains every subscription, all at the same time, and waits for their end. */
    @Override
    public void stop() {
        CountDownLatch drained = new CountDownLatch(1);
        stop(drained::countDown);
        try {
            drained.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop(Runnable callback) {
        started = false;
        List<Thread> drains = subscriptions.stream()
                .map(subscription -> Thread.ofPlatform()
                        .name("spream-drain-" + subscription.name())
                        .daemon(true)
                        .start(subscription::stop))
                .toList();
        Thread.ofPlatform().name("spream-drain").daemon(true).start(() -> {
            try {
                for (Thread drain : drains) {
                    drain.join();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                callback.run();
            }
        });
    }

    @Override
    public boolean isRunning() {
        return started;
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
