package dev.spream.api;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.DecodingFailure;
import dev.spream.core.subscription.RetentionLoss;
import dev.spream.core.subscription.SubscriberOptions;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/** Spream's own keys: the subscription, its time range, and every subscriber option that can be configured as text. */
final class SubscriptionKeys {
    private static final int MIN_TOKEN_LENGTH = 16;
    private static final int MAX_TOKEN_LENGTH = 1_000;

    static final ConfigKey<String> SUBSCRIPTION = ConfigKey.of(
                    "subscription",
                    ConfigType.text(),
                    "Name of the subscription; distinguishes subscriptions that share a storage, such as one"
                            + " database.")
            .withDefaultMeaning("the change stream's name");
    static final ConfigKey<StreamTime> START = ConfigKey.of(
                    "start",
                    StreamTime.TYPE,
                    "First commit timestamp to deliver, inclusive. Used at the first run only: a stored"
                            + " subscription resumes from its watermarks, and a relative start such as -5m keeps the time"
                            + " it resolved to.")
            .withDefaultMeaning("the time of the first run");
    static final ConfigKey<StreamTime> END = ConfigKey.of(
                    "end",
                    StreamTime.TYPE,
                    "Last commit timestamp to deliver, inclusive. A stored subscription keeps the time that a"
                            + " relative end such as +10s resolved to at its first run.")
            .withDefaultMeaning("none: the subscription does not end by itself");
    static final ConfigKey<Duration> SHUTDOWN_TIMEOUT = ConfigKey.of(
                    "shutdown-timeout",
                    ConfigType.duration(Duration.ZERO, Duration.ofHours(1)),
                    "Time within which the process ends after it was asked to stop. Changes or outbox entries in flight may"
                            + " finish until its last quarter, of 0.5 to 5 seconds; they are then interrupted.")
            .withDefault(Duration.ofSeconds(30));
    static final ConfigKey<String> WORKER = ConfigKey.of(
                    "worker",
                    new ConfigType<>("text, 1 to 150 characters", SubscriptionKeys::workerName, name -> name),
                    "Name of this worker among those of the subscription or outbox; a random suffix is added.")
            .withDefaultMeaning("random");
    static final ConfigKey<HttpAddress> HTTP = ConfigKey.of(
                    "http",
                    HttpAddress.TYPE,
                    "Address of the built-in HTTP server (health, metrics and the page) of spream run, spream outbox run"
                            + " and spream dashboard: a port, which listens on localhost only, or host:port, such as"
                            + " 0.0.0.0:8080 in a container. Not used by programs that embed spream.")
            .withDefaultMeaning("no HTTP server; 8080 for spream dashboard");
    static final ConfigKey<String> HTTP_TOKEN = ConfigKey.of(
                    "http-token",
                    new ConfigType<>(
                            "text, %d to %d visible ASCII characters".formatted(MIN_TOKEN_LENGTH, MAX_TOKEN_LENGTH),
                            SubscriptionKeys::token,
                            token -> token),
                    "Token that the page requires for commands, such as a replay of dead letters. Without it the page"
                            + " has no commands.")
            .withDefaultMeaning("no commands")
            .secret();

    private static final SubscriberOptions DEFAULTS = SubscriberOptions.defaults();
    private static final int MAX_WORKER_LENGTH = 150;

    static final OptionKey<SubscriberOptions.Builder, TransactionMode> TRANSACTIONS = OptionKey.of(
            "transaction-mode",
            ConfigType.choice(TransactionMode.class),
            "Delivery of whole transactions: off, each as soon as it is complete, or all in commit order. One worker at"
                    + " a time then reads all partitions. Stop all workers to change it.",
            DEFAULTS.transactionMode(),
            SubscriberOptions.Builder::transactionMode);

    static final OptionKey<SubscriberOptions.Builder, Ordering> ORDERING = OptionKey.optional(
            "ordering",
            ConfigType.choice(Ordering.class),
            "Scope of ordered delivery: the whole partition, each primary key, or none.",
            "partition with one change in flight, key with more; partition for sinks of files",
            SubscriberOptions.Builder::ordering);

    static final OptionKey<SubscriberOptions.Builder, Duration> WATERMARK_INTERVAL = OptionKey.optional(
            "watermark-interval",
            ConfigType.duration(Duration.ofMillis(1), Duration.ofMinutes(10)),
            "Maximum delay before an advanced watermark is stored. A longer delay means fewer writes and"
                    + " more redelivered changes after a crash; for sinks of files it is their age.",
            "1s; 30s for sinks of files",
            SubscriberOptions.Builder::watermarkInterval);

    static final OptionKey<SubscriberOptions.Builder, DecodingFailure> DECODING_FAILURE = OptionKey.of(
            "decoding-failure",
            ConfigType.choice(DecodingFailure.class),
            "Action for a row that cannot be decoded: stop, or keep it undecoded in dead-letters and continue"
                    + " after it. A row that may contain child partitions always stops the subscription.",
            DEFAULTS.decodingFailure(),
            SubscriberOptions.Builder::decodingFailure);

    static final OptionKey<SubscriberOptions.Builder, Boolean> SNAPSHOT = OptionKey.of(
            "snapshot",
            ConfigType.flag(),
            "Whether a new subscription begins with the rows of the watched tables as of its start, as inserts,"
                    + " followed by the changes after it. It starts at the time of the first run.",
            DEFAULTS.snapshot(),
            SubscriberOptions.Builder::snapshot);

    private static final List<OptionKey<SubscriberOptions.Builder, ?>> OPTIONS = List.of(
            SNAPSHOT,
            OptionKey.of(
                    "heartbeat-interval",
                    ConfigType.duration(
                            SubscriberOptions.MIN_HEARTBEAT_INTERVAL, SubscriberOptions.MAX_HEARTBEAT_INTERVAL),
                    "Heartbeat interval of idle partitions. A shorter interval advances their watermarks sooner"
                            + " and costs one row for each partition and interval.",
                    DEFAULTS.heartbeatInterval(),
                    SubscriberOptions.Builder::heartbeatInterval),
            OptionKey.of(
                    "missed-heartbeats",
                    ConfigType.integer(2, 1_000),
                    "Number of heartbeat intervals without a record after which a query counts as stalled and is"
                            + " restarted.",
                    DEFAULTS.missedHeartbeats(),
                    SubscriberOptions.Builder::missedHeartbeats),
            OptionKey.of(
                    "max-inflight",
                    ConfigType.integer(1, SubscriberOptions.MAX_MAX_INFLIGHT),
                    "Maximum number of changes of one partition that are read and not yet settled. Above 1,"
                            + " changes of different keys are delivered concurrently. With whole transactions it limits those in"
                            + " delivery, not the changes.",
                    DEFAULTS.maxInflight(),
                    SubscriberOptions.Builder::maxInflight),
            ORDERING,
            TRANSACTIONS,
            OptionKey.optional(
                    "max-batch-size",
                    ConfigType.integer(1, SubscriberOptions.MAX_MAX_INFLIGHT),
                    "Maximum number of changes in one call of a sink that takes batches. A whole transaction is one"
                            + " batch, however large.",
                    "the value of max-inflight",
                    SubscriberOptions.Builder::maxBatchSize),
            OptionKey.optional(
                    "consume-timeout",
                    ConfigType.duration(Duration.ofMillis(1), Duration.ofDays(1)),
                    "Time limit of one call of the sink. A call that exceeds it is interrupted and counts as"
                            + " failed.",
                    "no limit",
                    SubscriberOptions.Builder::consumeTimeout),
            OptionKey.of(
                    "max-buffered-changes",
                    ConfigType.integer(1, 10_000_000),
                    "Maximum number of changes that are read and not yet settled, over all partitions of the"
                            + " worker. With whole transactions only max-buffered-bytes limits them.",
                    DEFAULTS.maxBufferedChanges(),
                    SubscriberOptions.Builder::maxBufferedChanges),
            OptionKey.optional(
                    "max-buffered-bytes",
                    ConfigType.size(SubscriberOptions.MIN_MAX_BUFFERED_BYTES, 1L << 40),
                    "Maximum memory for buffered changes over all partitions of the worker, prefetched ones"
                            + " included.",
                    "a quarter of the heap",
                    SubscriberOptions.Builder::maxBufferedBytes),
            OptionKey.of(
                    "max-open-partitions",
                    ConfigType.integer(1, 100_000),
                    "Maximum number of partitions that this worker reads at the same time. Further partitions"
                            + " wait or are read by other workers.",
                    DEFAULTS.maxOpenPartitions(),
                    SubscriberOptions.Builder::maxOpenPartitions),
            OptionKey.of(
                    "retention-loss",
                    ConfigType.choice(RetentionLoss.class),
                    "Action when changes were lost to the stream's retention period: stop, or accept and record"
                            + " the gap and continue after it.",
                    DEFAULTS.retentionLoss(),
                    SubscriberOptions.Builder::retentionLoss),
            DECODING_FAILURE,
            WATERMARK_INTERVAL,
            OptionKey.of(
                    "partition-discovery-interval",
                    ConfigType.duration(Duration.ofMillis(1), Duration.ofMinutes(10)),
                    "Interval at which the storage is polled for partitions that other workers released or"
                            + " discovered.",
                    DEFAULTS.partitionDiscoveryInterval(),
                    SubscriberOptions.Builder::partitionDiscoveryInterval),
            OptionKey.of(
                    "lease-time",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofHours(1)),
                    "Time after its last renewal at which a lease of a partition expires and another worker may"
                            + " take the partition over.",
                    DEFAULTS.leaseTime(),
                    SubscriberOptions.Builder::leaseTime),
            OptionKey.of(
                    "drain-timeout",
                    ConfigType.duration(Duration.ZERO, Duration.ofHours(1)),
                    "Time that changes in flight have to finish when a failure stops the subscription or a"
                            + " partition is handed over.",
                    DEFAULTS.drainTimeout(),
                    SubscriberOptions.Builder::drainTimeout),
            OptionKey.of(
                    "finished-retention",
                    ConfigType.duration(Duration.ZERO, Duration.ofDays(365)),
                    "Time that the row of a finished partition stays stored; afterwards only its proof of"
                            + " completion is kept.",
                    DEFAULTS.finishedRetention(),
                    SubscriberOptions.Builder::finishedRetention),
            OptionKey.of(
                    "proof-retention",
                    ConfigType.duration(Duration.ZERO, SubscriberOptions.MAX_PROOF_RETENTION),
                    "Time that the proof of a finished partition is kept, at least finished-retention; what was before is"
                            + " proven no more.",
                    DEFAULTS.proofRetention(),
                    SubscriberOptions.Builder::proofRetention));

    private SubscriptionKeys() {}

    static List<OptionKey<SubscriberOptions.Builder, ?>> options() {
        return OPTIONS;
    }

    static List<ConfigKey<?>> all() {
        return Stream.of(
                        List.<ConfigKey<?>>of(SUBSCRIPTION, START, END),
                        OPTIONS.stream().<ConfigKey<?>>map(OptionKey::key).toList(),
                        List.<ConfigKey<?>>of(WORKER, SHUTDOWN_TIMEOUT, HTTP, HTTP_TOKEN))
                .flatMap(List::stream)
                .toList();
    }

    /** Returns the configured options, without times, listeners and policies. */
    static SubscriberOptions.Builder options(PluginConfig config) {
        SubscriberOptions.Builder options = SubscriberOptions.builder();
        OPTIONS.forEach(option -> option.apply(config, options));
        config.find(WORKER)
                .map(name ->
                        new WorkerId(name + "-" + UUID.randomUUID().toString().substring(0, 8)))
                .ifPresent(options::worker);
        return options;
    }

    private static String token(String token) {
        if (token.length() < MIN_TOKEN_LENGTH
                || token.length() > MAX_TOKEN_LENGTH
                || !token.chars().allMatch(letter -> letter > ' ' && letter <= '~')) {
            throw new IllegalArgumentException(
                    "expected %d to %d visible ASCII characters".formatted(MIN_TOKEN_LENGTH, MAX_TOKEN_LENGTH));
        }
        return token;
    }

    private static String workerName(String name) {
        if (name.length() > MAX_WORKER_LENGTH) {
            throw new IllegalArgumentException("expected 1 to %d characters".formatted(MAX_WORKER_LENGTH));
        }
        return name;
    }
}
