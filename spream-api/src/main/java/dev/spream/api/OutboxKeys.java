package dev.spream.api;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.outbox.worker.OrderedFailurePolicy;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.outbox.worker.UnknownFailure;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The keys that begin with {@code outbox} and are no plug-in's: how the worker of an outbox works. */
final class OutboxKeys {
    static final ConfigKey<Boolean> ENABLED = ConfigKey.of(
                    "enabled",
                    ConfigType.flag(),
                    "Whether a worker may run with this configuration. Or OUTBOX_ENABLED.")
            .withDefault(false);

    private static final OutboxWorkerOptions DEFAULTS = OutboxWorkerOptions.defaults();

    private static final List<OptionKey<OutboxWorkerOptions.Builder, ?>> OPTIONS = List.of(
            OptionKey.of(
                    "concurrency",
                    ConfigType.integer(1, OutboxWorkerOptions.MAX_CONCURRENCY),
                    "How many entries are sent at the same time. Or OUTBOX_CONCURRENCY.",
                    DEFAULTS.concurrency(),
                    OutboxWorkerOptions.Builder::concurrency),
            OptionKey.of(
                    "batch",
                    ConfigType.integer(1, OutboxWorkerOptions.MAX_BATCH),
                    "How many entries are claimed at most in one statement; never more than can be sent at once. Or"
                            + " OUTBOX_BATCH.",
                    DEFAULTS.batch(),
                    OutboxWorkerOptions.Builder::batch),
            OptionKey.of(
                    "poll-interval",
                    ConfigType.duration(OutboxWorkerOptions.MIN_POLL_INTERVAL, OutboxWorkerOptions.MAX_POLL_INTERVAL),
                    "How long a worker with nothing to do waits before it looks again, if nobody calls it. Or"
                            + " OUTBOX_POLL_INTERVAL_SEC.",
                    DEFAULTS.pollInterval(),
                    OutboxWorkerOptions.Builder::pollInterval),
            OptionKey.of(
                    "lease",
                    ConfigType.duration(OutboxWorkerOptions.MIN_LEASE, OutboxWorkerOptions.MAX_LEASE),
                    "How long an entry stays with a worker that shows no life. Or OUTBOX_LOCK_LEASE_SEC.",
                    DEFAULTS.lease(),
                    OutboxWorkerOptions.Builder::lease),
            OptionKey.of(
                    "send-timeout",
                    ConfigType.duration(OutboxWorkerOptions.MIN_SEND_TIMEOUT, OutboxWorkerOptions.MAX_SEND_TIMEOUT),
                    "How long an attempt may take; after it the outcome is unknown. Or BROKER_TIMEOUT_MS.",
                    DEFAULTS.sendTimeout(),
                    OutboxWorkerOptions.Builder::sendTimeout),
            OptionKey.of(
                    "max-attempts",
                    ConfigType.integer(1, OutboxWorkerOptions.MAX_MAX_ATTEMPTS),
                    "How often an entry is tried before it is given up, the first time included. Or OUTBOX_MAX_ATTEMPTS.",
                    DEFAULTS.maxAttempts(),
                    OutboxWorkerOptions.Builder::maxAttempts),
            OptionKey.of(
                    "backoff",
                    BackoffType.TYPE,
                    "How long an entry waits after each failed attempt, the last one repeating; or, as 5s..10m, at random"
                            + " up to the first, doubled each time, and never more than the second. Or"
                            + " OUTBOX_BACKOFF_SEC.",
                    DEFAULTS.backoff(),
                    OutboxWorkerOptions.Builder::backoff),
            OptionKey.optional(
                    "max-age",
                    ConfigType.duration(OutboxWorkerOptions.MIN_MAX_AGE, OutboxWorkerOptions.MAX_MAX_AGE),
                    "How long after it was enqueued an entry is still tried.",
                    "for ever",
                    OutboxWorkerOptions.Builder::maxAge),
            OptionKey.of(
                    "ordered-failure",
                    ConfigType.choice(OrderedFailurePolicy.class),
                    "What happens to an entry with an ordering key that is given up: abort lets its key go on, park holds"
                            + " the key until somebody decides.",
                    DEFAULTS.orderedFailure(),
                    OutboxWorkerOptions.Builder::orderedFailure),
            OptionKey.of(
                    "unknown-failure",
                    ConfigType.choice(UnknownFailure.class),
                    "What happens to an entry that has no attempt or no time left, and may have reached an idempotent"
                            + " receiver: park has its client wait until somebody decides, abort tells it a failure that"
                            + " may be none.",
                    DEFAULTS.unknownFailure(),
                    OutboxWorkerOptions.Builder::unknownFailure),
            OptionKey.of(
                    "breaker-failures",
                    ConfigType.integer(0, OutboxWorkerOptions.MAX_BREAKER_FAILURES),
                    "After how many attempts in a row that did not get through nothing is claimed for a while; 0 for never.",
                    DEFAULTS.breakerFailures(),
                    OutboxWorkerOptions.Builder::breakerFailures),
            OptionKey.of(
                    "breaker-pause",
                    ConfigType.duration(OutboxWorkerOptions.MIN_BREAKER_PAUSE, OutboxWorkerOptions.MAX_BREAKER_PAUSE),
                    "How long nothing is claimed then, before one entry is tried.",
                    DEFAULTS.breakerPause(),
                    OutboxWorkerOptions.Builder::breakerPause),
            OptionKey.of(
                    "entry-retention",
                    ConfigType.duration(Duration.ZERO, OutboxWorkerOptions.MAX_RETENTION),
                    "How long an entry stays after it succeeded or was aborted, before a worker removes it; 0s for ever.",
                    DEFAULTS.entryRetention(),
                    OutboxWorkerOptions.Builder::entryRetention),
            OptionKey.of(
                    "ledger-retention",
                    ConfigType.duration(Duration.ZERO, OutboxWorkerOptions.MAX_RETENTION),
                    "How long the ledger remembers a request after it was settled, and never less than its entry stays;"
                            + " longer than any client repeats one. 0s for ever.",
                    DEFAULTS.ledgerRetention(),
                    OutboxWorkerOptions.Builder::ledgerRetention),
            OptionKey.of(
                    "audit-retention",
                    ConfigType.duration(Duration.ZERO, OutboxWorkerOptions.MAX_RETENTION),
                    "How long the audit keeps what was changed by hand; 0s for ever.",
                    DEFAULTS.auditRetention(),
                    OutboxWorkerOptions.Builder::auditRetention));

    private OutboxKeys() {}

    static List<OptionKey<OutboxWorkerOptions.Builder, ?>> options() {
        return OPTIONS;
    }

    static List<ConfigKey<?>> all() {
        return Stream.concat(Stream.of(ENABLED), OPTIONS.stream().<ConfigKey<?>>map(OptionKey::key))
                .toList();
    }

    /** The options that are configured, without name and listeners. */
    static OutboxWorkerOptions.Builder options(PluginConfig config) {
        OutboxWorkerOptions.Builder options = OutboxWorkerOptions.builder();
        OPTIONS.forEach(option -> option.apply(config, options));
        return options;
    }
}
