package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.buffer.DiskChangeBuffer;
import dev.spream.api.filter.FilteredConsumer;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.Port;
import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A validated subscription and the components opened for it, in the order of their dependencies. Confined to the thread
 * that opens it, apart from {@link #filtered}.
 */
final class SubscriptionPlan implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SubscriptionPlan.class);
    private static final String NAMELESS = "spream";

    private final ConfiguredPlugins plugins;
    private final ConfigValidation validation;
    private final ProvidedComponents own;
    private String subscription;
    private volatile @Nullable Consumer consumer;

    SubscriptionPlan(ConfiguredPlugins plugins, ConfigValidation validation, ProvidedComponents own) {
        this.plugins = plugins;
        this.validation = validation;
        this.own = own;
        this.subscription = validation.own().find(SubscriptionKeys.SUBSCRIPTION).orElse(NAMELESS);
    }

    Duration shutdownTimeout() {
        return validation.own().get(SubscriptionKeys.SHUTDOWN_TIMEOUT);
    }

    Subscriber open() {
        try {
            Subscriber subscriber = openAll();
            log.info("[{}] runs with {}", subscription, this);
            return subscriber;
        } catch (LinkageError e) {
            throw new SpreamException(
                    ("the subscription was not started: a plug-in does not fit this version of spream,"
                                    + " or lacks a library (%s, %s)")
                            .formatted(this, e),
                    e);
        }
    }

    private Subscriber openAll() {
        ChangeStreamSource source = openSource();
        PartitionStorage storage = part(PartitionStorageProvider.PORT).orElseThrow();
        Optional<DeadLetterSink> deadLetters = openDeadLetters();
        consumer = decorated(own.find(ConsumerProvider.PORT).orElseGet(() -> openSink(storage)));
        SubscriberOptions.Builder options = validation
                .options()
                .errorHandler(
                        own.errorHandler == null
                                ? validation.errorHandler()
                                : validation.errorHandler(own.errorHandler));
        deadLetters.ifPresent(options::deadLetterSink);
        if (hasDiskBuffer()) {
            options.transactionBuffer(DiskChangeBuffer::inTemporaryFolder);
        }
        own.listeners.forEach(options::listener);
        return Subscriber.builder(source, storage)
                .options(validation.times().resolve(options.build(), storage, Instant.now()))
                .build();
    }

    /** Returns whether the program has the optional library of {@link DiskChangeBuffer}. */
    private static boolean hasDiskBuffer() {
        try {
            Class.forName("org.h2.mvstore.MVStore", false, SubscriptionPlan.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Opens the source, whose stream names the subscription if no name is configured. */
    ChangeStreamSource openSource() {
        ChangeStreamSource source = part(ChangeStreamSourceProvider.PORT).orElseThrow();
        subscription = validation.own().find(SubscriptionKeys.SUBSCRIPTION).orElseGet(source::streamName);
        return source;
    }

    Optional<DeadLetterSink> openDeadLetters() {
        return part(DeadLetterSinkProvider.PORT);
    }

    /** Opens the sink for dead letters that are replayed. */
    Consumer openConsumer() {
        return decorated(part(ConsumerProvider.PORT).orElseThrow());
    }

    private Consumer openSink(PartitionStorage storage) {
        Plugin<Consumer> sink =
                validation.selection().plugin(ConsumerProvider.PORT).orElseThrow();
        return plugins.openSink(validation, sink, subscription, storage::createdAt);
    }

    private Consumer decorated(Consumer undecorated) {
        Consumer sink = requireNonNull(own.around.apply(undecorated), "decorated consumer");
        return validation.filter().isPassingAll() ? sink : validation.filter().before(sink);
    }

    private <T> Optional<T> part(Port<T> port) {
        return own.find(port)
                .or(() -> validation
                        .selection()
                        .plugin(port)
                        .map(plugin -> plugins.open(validation, plugin, subscription)));
    }

    String subscription() {
        return subscription;
    }

    Consumer consumer() {
        return requireNonNull(consumer);
    }

    long filtered() {
        return consumer instanceof FilteredConsumer behind ? behind.filtered() : 0;
    }

    @Override
    public String toString() {
        return Stream.of(
                        ChangeStreamSourceProvider.PORT,
                        PartitionStorageProvider.PORT,
                        ConsumerProvider.PORT,
                        DeadLetterSinkProvider.PORT)
                .map(port -> port + " " + nameOf(port))
                .collect(Collectors.joining(", "));
    }

    private String nameOf(Port<?> port) {
        return own.ports().contains(port)
                ? "provided by the program"
                : validation.selection().plugin(port).map(Plugin::name).orElse("none");
    }

    /**
     * Closes every component; failures are only logged, since the result of the run stands. The interrupt flag is
     * cleared meanwhile, so that closing is not interrupted.
     */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            plugins.close((part, failure) -> log.warn(
                    "[{}] closing {} failed after the run ended; no change is affected",
                    subscription,
                    part,
                    LoggedFailure.of(failure)));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
