package dev.spream.api.spi;

import dev.spream.core.consume.Consumer;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Creates the sink, the {@link Consumer} named by the configuration key {@code sink}. If it is {@link AutoCloseable},
 * it is closed after the run, when its last {@code flush} has returned.
 */
public interface ConsumerProvider extends PluginProvider<Consumer> {
    /** The port {@code sink}. */
    Port<Consumer> PORT = new Port<>(
            ConfigKey.of("sink", ConfigType.text(), "Receiver of the changes."),
            Consumer.class,
            ConsumerProvider.class,
            Port.Need.NAMED,
            "one",
            Map.of(
                    "stdout", "spream-sinks",
                    "log", "spream-sinks",
                    "jsonl", "spream-sinks",
                    "webhook", "spream-sinks",
                    "files", "spream-sinks",
                    "s3", "spream-sink-s3",
                    "gcs", "spream-sink-gcs",
                    "pubsub", "spream-sink-pubsub",
                    "kafka", "spream-sink-kafka"));

    /**
     * Returns whether the sink needs the changes of each partition in the order in which the partition is read, because
     * it stores a position. {@code ordering} is {@code partition} then, however many changes are in flight, and a
     * configuration with another one is refused, as are {@code transaction-mode=whole}, {@code storage=memory}, and an {@code
     * on-failure} that does not stop the subscription. False by default.
     */
    default boolean needsPartitionOrder() {
        return false;
    }

    /**
     * Returns the {@code watermark-interval} for a subscription that configures none: a sink whose {@code flush} is costly
     * returns a longer one than a second. Empty by default, for the usual one.
     */
    default Optional<Duration> watermarkInterval() {
        return Optional.empty();
    }
}
