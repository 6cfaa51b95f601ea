package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.filter.FilteredConsumer;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginKind;
import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What runs, while it does. Opened in the order in which one part needs another, and closed the other way round. */
final class OpenPlan implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(OpenPlan.class);
    private static final String NAMELESS = "spream";

    private final Judgement judgement;
    private final OwnParts own;
    private final Deque<OpenPlugin<?>> opened = new ArrayDeque<>();
    private String subscription;
    private @Nullable Consumer consumer;
    private @Nullable Subscriber subscriber;

    OpenPlan(Judgement judgement, OwnParts own) {
        this.judgement = judgement;
        this.own = own;
        this.subscription = judgement.own().find(SubscriptionKeys.SUBSCRIPTION).orElse(NAMELESS);
    }

    void openAll() {
        ChangeStreamSource source = openSource();
        PartitionStorage storage =
                part(PluginKind.STORAGE, PartitionStorage.class, own.storage).orElseThrow();
        Optional<DeadLetterSink> deadLetters = openDeadLetters();
        Consumer sink = openConsumer();
        SubscriberOptions.Builder options = judgement
                .options()
                .errorHandler(own.errorHandler == null ? judgement.errorHandler() : own.errorHandler);
        deadLetters.ifPresent(options::deadLetterSink);
        own.listeners.forEach(options::listener);
        subscriber = Subscriber.builder(source, storage)
                .options(judgement.times().resolve(options.build(), storage, Instant.now()))
                .build();
        consumer = sink;
    }

    /** The source, after which a subscription is named that has no name of its own. */
    ChangeStreamSource openSource() {
        ChangeStreamSource source =
                part(PluginKind.SOURCE, ChangeStreamSource.class, own.source).orElseThrow();
        subscription = judgement.own().find(SubscriptionKeys.SUBSCRIPTION).orElseGet(source::streamName);
        return source;
    }

    Optional<DeadLetterSink> openDeadLetters() {
        return part(PluginKind.DEAD_LETTERS, DeadLetterSink.class, own.deadLetterSink);
    }

    /** The sink, behind the filter. */
    Consumer openConsumer() {
        Consumer sink = requireNonNull(
                own.around.apply(
                        part(PluginKind.SINK, Consumer.class, own.consumer).orElseThrow()),
                "what was put around the consumer");
        return judgement.filter().isPassingAll() ? sink : judgement.filter().before(sink);
    }

    private <T> Optional<T> part(PluginKind kind, Class<T> port, @Nullable T ofProgram) {
        return ofProgram != null
                ? Optional.of(ofProgram)
                : judgement
                        .selection()
                        .plugin(kind)
                        .map(plugin -> port.cast(open(plugin).product()));
    }

    private OpenPlugin<?> open(Plugin<?> plugin) {
        OpenPlugin<?> open = plugin.open(judgement.of(plugin), InstantSource.system(), subscription);
        opened.push(open);
        return open;
    }

    String subscription() {
        return subscription;
    }

    Subscriber subscriber() {
        return requireNonNull(subscriber);
    }

    long filtered() {
        return consumer instanceof FilteredConsumer behind ? behind.filtered() : 0;
    }

    Consumer consumer() {
        return requireNonNull(consumer);
    }

    /** Closes all of it, whatever fails meanwhile; the run has ended as it has. An interrupt is for the run, not for this. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            closeAll();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void closeAll() {
        while (!opened.isEmpty()) {
            OpenPlugin<?> next = opened.pop();
            try {
                next.close();
            } catch (RuntimeException | LinkageError e) {
                log.warn(
                        "[{}] closing {} failed; what it had to do for changes was done before",
                        subscription,
                        next,
                        LoggedFailure.of(e));
            }
        }
    }
}
