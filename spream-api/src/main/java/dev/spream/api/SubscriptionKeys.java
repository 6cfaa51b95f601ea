package dev.spream.api;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.DecodingFailure;
import dev.spream.core.subscription.RetentionLoss;
import dev.spream.core.subscription.SubscriberOptions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Spream's own keys: what runs, from when to when, and every option of a subscriber that text can express. */
final class SubscriptionKeys {
    static final ConfigKey<String> SUBSCRIPTION = ConfigKey.of(
                    "subscription",
                    ConfigType.text(),
                    "Names the subscription where several share a place, such as a database.")
            .withDefaultMeaning("the change stream's name");
    static final ConfigKey<StreamTime> START = ConfigKey.of(
                    "start",
                    StreamTime.TYPE,
                    "The first commit timestamp, inclusive. What is stored goes on where it was, and keeps the start that"
                            + " -5m meant at its first run.")
            .withDefaultMeaning("the present, at the first run");
    static final ConfigKey<StreamTime> END = ConfigKey.of(
                    "end",
                    StreamTime.TYPE,
                    "The last commit timestamp, inclusive. What is stored keeps the end that +10s meant at its first run.")
            .withDefaultMeaning("none: it never ends by itself");
    static final ConfigKey<Duration> SHUTDOWN_TIMEOUT = ConfigKey.of(
                    "shutdown-timeout",
                    ConfigType.duration(Duration.ZERO, Duration.ofHours(1)),
                    "How long changes, or entries of an outbox, that were started may take to finish when the process is told"
                            + " to stop. Past it they are interrupted.")
            .withDefault(Duration.ofSeconds(30));
    static final ConfigKey<String> WORKER = ConfigKey.of(
                    "worker",
                    new ConfigType<>("text, 1 to 150 characters", SubscriptionKeys::workerName, name -> name),
                    "The name of this worker among those that share the subscription or the outbox, to which something random"
                            + " is added.")
            .withDefaultMeaning("random");
    static final ConfigKey<HttpAddress> HTTP = ConfigKey.of(
                    "http",
                    HttpAddress.TYPE,
                    "Where spream run and spream outbox run answer to HTTP, with health and metrics, the former with a page: a port of this machine alone, or"
                            + " host:port, such as 0.0.0.0:8080 in a container. A program that embeds spream has its own.")
            .withDefaultMeaning("nowhere");

    private static final SubscriberOptions DEFAULTS = SubscriberOptions.defaults();
    private static final int MAX_WORKER_LENGTH = 150;

    static final OptionKey<SubscriberOptions.Builder, DecodingFailure> DECODING_FAILURE = OptionKey.of(
            "decoding-failure",
            ConfigType.choice(DecodingFailure.class),
            "What to do with a row that cannot be decoded: stop, or keep it in dead-letters as it came and continue behind"
                    + " it, unless it may name child partitions.",
            DEFAULTS.decodingFailure(),
            SubscriberOptions.Builder::decodingFailure);

    private static final List<OptionKey<SubscriberOptions.Builder, ?>> OPTIONS = List.of(
            OptionKey.of(
                    "heartbeat-interval",
                    ConfigType.duration(
                            SubscriberOptions.MIN_HEARTBEAT_INTERVAL, SubscriberOptions.MAX_HEARTBEAT_INTERVAL),
                    "How often an idle partition shows life. Shorter moves watermarks of idle partitions sooner, and costs"
                            + " a row for each partition and interval.",
                    DEFAULTS.heartbeatInterval(),
                    SubscriberOptions.Builder::heartbeatInterval),
            OptionKey.of(
                    "missed-heartbeats",
                    ConfigType.integer(2, 1_000),
                    "After how many heartbeat intervals without a record a stream counts as stalled, and is queried again.",
                    DEFAULTS.missedHeartbeats(),
                    SubscriberOptions.Builder::missedHeartbeats),
            OptionKey.of(
                    "max-inflight",
                    ConfigType.integer(1, SubscriberOptions.MAX_MAX_INFLIGHT),
                    "How many changes of one partition may be read and not settled. With more than one, changes of"
                            + " different keys are consumed at the same time.",
                    DEFAULTS.maxInflight(),
                    SubscriberOptions.Builder::maxInflight),
            OptionKey.optional(
                    "ordering",
                    ConfigType.choice(Ordering.class),
                    "Which changes wait for which: all of a partition, those of one primary key, or none.",
                    "partition with one change in flight, key with more",
                    SubscriberOptions.Builder::ordering),
            OptionKey.optional(
                    "max-batch-size",
                    ConfigType.integer(1, SubscriberOptions.MAX_MAX_INFLIGHT),
                    "How many changes a sink that takes batches is given at most in one call.",
                    "as many as may be in flight",
                    SubscriberOptions.Builder::maxBatchSize),
            OptionKey.optional(
                    "consume-timeout",
                    ConfigType.duration(Duration.ofMillis(1), Duration.ofDays(1)),
                    "How long one call of the sink may take. Past it the call is interrupted and counts as"
                            + " failed.",
                    "no limit",
                    SubscriberOptions.Builder::consumeTimeout),
            OptionKey.of(
                    "max-buffered-changes",
                    ConfigType.integer(1, 10_000_000),
                    "How many changes may be read and not settled over all partitions.",
                    DEFAULTS.maxBufferedChanges(),
                    SubscriberOptions.Builder::maxBufferedChanges),
            OptionKey.optional(
                    "max-buffered-bytes",
                    ConfigType.size(SubscriberOptions.MIN_MAX_BUFFERED_BYTES, 1L << 40),
                    "How much memory changes may take over all partitions, prefetched ones included.",
                    "a quarter of the heap",
                    SubscriberOptions.Builder::maxBufferedBytes),
            OptionKey.of(
                    "max-open-partitions",
                    ConfigType.integer(1, 100_000),
                    "How many partitions this worker reads at the same time. Others wait, or are read by other workers.",
                    DEFAULTS.maxOpenPartitions(),
                    SubscriberOptions.Builder::maxOpenPartitions),
            OptionKey.of(
                    "retention-loss",
                    ConfigType.choice(RetentionLoss.class),
                    "What to do when changes were lost to the stream's retention period: stop, or accept the gap, record"
                            + " it and go on behind it.",
                    DEFAULTS.retentionLoss(),
                    SubscriberOptions.Builder::retentionLoss),
            DECODING_FAILURE,
            OptionKey.of(
                    "watermark-interval",
                    ConfigType.duration(Duration.ofMillis(1), Duration.ofMinutes(10)),
                    "How long a watermark may stay unstored. Longer means fewer writes, and more changes that come again"
                            + " after a crash.",
                    DEFAULTS.watermarkInterval(),
                    SubscriberOptions.Builder::watermarkInterval),
            OptionKey.of(
                    "partition-discovery-interval",
                    ConfigType.duration(Duration.ofMillis(1), Duration.ofMinutes(10)),
                    "How often the storage is asked for partitions that other workers left or discovered.",
                    DEFAULTS.partitionDiscoveryInterval(),
                    SubscriberOptions.Builder::partitionDiscoveryInterval),
            OptionKey.of(
                    "lease-time",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofHours(1)),
                    "How long a partition stays with a worker that shows no life.",
                    DEFAULTS.leaseTime(),
                    SubscriberOptions.Builder::leaseTime),
            OptionKey.of(
                    "drain-timeout",
                    ConfigType.duration(Duration.ZERO, Duration.ofHours(1)),
                    "How long changes that were started may take to finish when a failure stops the subscription, or a"
                            + " partition is handed over.",
                    DEFAULTS.drainTimeout(),
                    SubscriberOptions.Builder::drainTimeout),
            OptionKey.of(
                    "finished-retention",
                    ConfigType.duration(Duration.ZERO, Duration.ofDays(365)),
                    "How long a finished partition stays stored before only its proof is kept.",
                    DEFAULTS.finishedRetention(),
                    SubscriberOptions.Builder::finishedRetention));

    private SubscriptionKeys() {}

    static List<OptionKey<SubscriberOptions.Builder, ?>> options() {
        return OPTIONS;
    }

    static List<ConfigKey<?>> all() {
        return Stream.of(
                        List.<ConfigKey<?>>of(SUBSCRIPTION, START, END),
                        OPTIONS.stream().<ConfigKey<?>>map(OptionKey::key).toList(),
                        List.<ConfigKey<?>>of(WORKER, SHUTDOWN_TIMEOUT, HTTP))
                .flatMap(List::stream)
                .toList();
    }

    /** The options that are configured, without times, listeners and policies. */
    static SubscriberOptions.Builder options(PluginConfig config) {
        SubscriberOptions.Builder options = SubscriberOptions.builder();
        OPTIONS.forEach(option -> option.apply(config, options));
        config.find(WORKER)
                .map(name ->
                        new WorkerId(name + "-" + UUID.randomUUID().toString().substring(0, 8)))
                .ifPresent(options::worker);
        return options;
    }

    private static String workerName(String name) {
        if (name.length() > MAX_WORKER_LENGTH) {
            throw new IllegalArgumentException("expected 1 to %d characters".formatted(MAX_WORKER_LENGTH));
        }
        return name;
    }
}
