package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A subscription assembled from a configuration: {@code source}, {@code storage}, {@code sink} and {@code dead-letters}
 * name plug-ins, which are found on the class path and in the plug-in folder. Components that the program provides are
 * not looked up.
 *
 * <pre>{@code
 * try (Spream spream = Spream.create(SpreamConfig.load(Path.of("spream.properties")))) {
 *     spream.run();
 * }
 * }</pre>
 *
 * <p>Creating one validates the whole configuration and opens nothing. {@link #run} opens the configured components and
 * closes them again; components that the program provides are not closed. An instance runs once. {@link #shutdown} and
 * {@link #close} may be called from any thread, several times, before, during and after {@code run}.
 */
public final class Spream implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Spream.class);
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(30);

    private final SubscriptionPlan plan;
    private final CountDownLatch ended = new CountDownLatch(1);

    private final Object lock = new Object();

    // Guarded by the lock, under which no blocking call is made.
    private @Nullable Thread runner;
    private @Nullable CompletionReason requested; // the requested end of the run
    private boolean opening;
    private boolean interrupted; // by close, while opening

    private volatile @Nullable Subscriber subscriber; // set under the lock, once everything is open

    private Spream(SubscriptionPlan plan) {
        this.plan = plan;
    }

    private static Spream of(ConfiguredPlugins plugins, ProvidedComponents own) {
        ConfigValidation validation = plugins.validate(own);
        validation.requireUsable();
        return new Spream(new SubscriptionPlan(plugins, validation, own));
    }

    /**
     * Creates the configured subscription.
     *
     * @throws ConfigException if the configuration is invalid; the message lists every problem
     */
    public static Spream create(SpreamConfig config) {
        return builder(config).build();
    }

    public static Builder builder(SpreamConfig config) {
        return new Builder(requireNonNull(config, "config"));
    }

    /**
     * Opens the components and runs the subscription until its end timestamp is reached or it is stopped, then closes
     * them. An interrupt of the calling thread acts like {@link #close}.
     *
     * @return the reason of completion
     * @throws SpreamException if something could not be opened, or the subscription could not start or had to stop.
     *     Settled changes are stored.
     * @throws IllegalStateException if this has run before
     */
    public CompletionReason run() {
        begin();
        try (plan) {
            return openAndRun();
        } finally {
            ended.countDown();
        }
    }

    private void begin() {
        synchronized (lock) {
            if (runner != null) {
                throw new IllegalStateException("this Spream has run already; create another one");
            }
            runner = Thread.currentThread();
            opening = requested == null;
        }
    }

    private CompletionReason openAndRun() {
        if (!isOpening()) {
            return opened(null).orElseThrow();
        }
        Subscriber open;
        try {
            open = plan.open();
        } catch (RuntimeException e) {
            if (opened(null).filter(CompletionReason.CLOSED::equals).isPresent()) {
                log.debug("opening was interrupted by close: {}", LoggedFailure.brief(e));
                return CompletionReason.CLOSED;
            }
            throw e;
        }
        try (Subscriber running = open) {
            return opened(running).orElseGet(() -> running.run(plan.consumer()));
        }
    }

    private boolean isOpening() {
        synchronized (lock) {
            return opening;
        }
    }

    /** Marks the end of opening; returns the reason to complete at once, if one was requested meanwhile. */
    private Optional<CompletionReason> opened(@Nullable Subscriber running) {
        synchronized (lock) {
            opening = false;
            if (interrupted) {
                Thread.interrupted(); // clears the interrupt set by close
            }
            if (requested == null) {
                subscriber = running;
            }
            return Optional.ofNullable(requested);
        }
    }

    /**
     * Shuts down: stops reading, lets started changes finish, stores the watermarks and releases the partitions. Before
     * the end of {@code shutdown-timeout}, the sink is interrupted as by {@link #close}. Waits until {@link #run} has
     * closed everything, except when called by a sink, an error handler, a listener or a plug-in that is being opened.
     *
     * @return whether it completed without an interrupt; true if nothing runs
     */
    public boolean shutdown() {
        Subscriber running = request(CompletionReason.SHUT_DOWN);
        if (running != null) {
            boolean inTime = running.shutdown(plan.shutdownTimeout());
            awaitEnd(CLOSE_WAIT);
            return inTime;
        }
        if (awaitEnd(plan.shutdownTimeout())) {
            return true;
        }
        close();
        return false;
    }

    /**
     * Interrupts the sink or the opening of components, keeps changes that are settled without a gap, stores the
     * watermarks and releases the partitions. Waits at most 30 seconds until {@link #run} has closed everything, except
     * when called by a sink, an error handler, a listener or a plug-in that is being opened.
     */
    @Override
    public void close() {
        Subscriber running = request(CompletionReason.CLOSED);
        if (running != null) {
            running.close();
        }
        awaitEnd(CLOSE_WAIT);
    }

    /** Returns whether {@link #run} has begun and has not closed everything yet. */
    public boolean isRunning() {
        return runner() != null && ended.getCount() > 0;
    }

    /** Returns the number of changes that the configured filter has dropped so far; a repeated change counts again. */
    public long filtered() {
        return plan.filtered();
    }

    /** Records the requested end; returns the running subscriber, or null if there is none. */
    private @Nullable Subscriber request(CompletionReason ending) {
        synchronized (lock) {
            boolean close = ending == CompletionReason.CLOSED;
            requested = close || requested == null ? ending : requested;
            if (close && runner == null) {
                plan.close();
            }
            if (close && opening && runner != null && !runner.equals(Thread.currentThread())) {
                interrupted = true;
                runner.interrupt();
            }
            return subscriber;
        }
    }

    /** Waits for the end of the run, except on a thread that the run waits for; returns whether the run has ended. */
    private boolean awaitEnd(Duration timeout) {
        Thread running = runner();
        if (running == null) {
            return true;
        }
        Thread caller = Thread.currentThread();
        Subscriber known = subscriber;
        if (running.equals(caller) || (known != null && known.ownsThread(caller))) {
            return ended.getCount() == 0;
        }
        try {
            return ended.await(TimeUnit.NANOSECONDS.convert(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            caller.interrupt();
            return false;
        }
    }

    private @Nullable Thread runner() {
        synchronized (lock) {
            return runner;
        }
    }

    /**
     * Returns the low watermark: every change of the subscription committed before it is settled, by any worker. Empty
     * before the subscription runs.
     */
    public Optional<Instant> lowWatermark() {
        Subscriber running = subscriber;
        return running == null ? Optional.empty() : running.lowWatermark();
    }

    /**
     * The components that the program provides itself. They are neither looked up nor closed. Confined to one thread.
     */
    public static final class Builder {
        private final SpreamConfig config;
        private final ProvidedComponents own = new ProvidedComponents();
        private @Nullable PluginRegistry plugins;

        private Builder(SpreamConfig config) {
            this.config = config;
        }

        /** Sets the source of changes, instead of {@code source}. */
        public Builder source(ChangeStreamSource source) {
            own.put(ChangeStreamSourceProvider.PORT, source);
            return this;
        }

        /** Sets the storage of partitions, instead of {@code storage}. */
        public Builder storage(PartitionStorage storage) {
            own.put(PartitionStorageProvider.PORT, storage);
            return this;
        }

        /** Sets the consumer of changes, instead of {@code sink}. Configured filters apply before it. */
        public Builder consumer(Consumer consumer) {
            own.put(ConsumerProvider.PORT, consumer);
            return this;
        }

        /** Sets the consumer of changes as a function of the change alone, instead of {@code sink}. */
        public Builder consumer(ChangeHandler consumer) {
            return consumer((Consumer) consumer);
        }

        /**
         * Decorates the consumer, configured or provided, such as with spans. The function is called once, after
         * opening; its result is called in place of the consumer, and is not closed. Configured filters apply before
         * it. A decorator added later wraps the earlier ones.
         */
        public Builder around(UnaryOperator<Consumer> around) {
            requireNonNull(around, "around");
            UnaryOperator<Consumer> within = own.around;
            own.around = consumer -> around.apply(within.apply(consumer));
            return this;
        }

        /** Sets the storage of dead letters, instead of {@code dead-letters}. */
        public Builder deadLetterSink(DeadLetterSink deadLetterSink) {
            own.put(DeadLetterSinkProvider.PORT, deadLetterSink);
            return this;
        }

        /** Sets the error handler for failed deliveries, instead of {@code on-failure} and all of {@code retry}. */
        public Builder errorHandler(ErrorHandler errorHandler) {
            own.errorHandler = requireNonNull(errorHandler, "errorHandler");
            return this;
        }

        /** Adds a listener. */
        public Builder listener(SubscriptionListener listener) {
            own.listeners.add(requireNonNull(listener, "listener"));
            return this;
        }

        /**
         * Sets the plug-ins to choose from, instead of the discovered ones. The caller closes the registry, after the
         * run.
         */
        public Builder plugins(PluginRegistry plugins) {
            this.plugins = requireNonNull(plugins, "plugins");
            return this;
        }

        /**
         * Validates the configuration; opens nothing.
         *
         * @throws ConfigException if it is invalid; the message lists every problem
         */
        public Spream build() {
            ProvidedComponents parts = own.copy();
            return plugins == null
                    ? ConfiguredPlugins.discovering(config, found -> Spream.of(found, parts))
                    : ConfiguredPlugins.of(config, plugins, found -> Spream.of(found, parts));
        }
    }
}
