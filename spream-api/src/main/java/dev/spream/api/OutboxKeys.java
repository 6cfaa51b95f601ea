package dev.spream.api;

import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.outbox.worker.OrderedFailurePolicy;
import dev.spream.outbox.worker.OutboxSenderOptions;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.outbox.worker.UnknownFailure;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The keys that begin with {@code outbox}, apart from the plug-in's: the options of the outbox worker. */
final class OutboxKeys {
    static final ConfigKey<Boolean> ENABLED = ConfigKey.of(
                    "enabled",
                    ConfigType.flag(),
                    "Whether spream outbox run starts a worker with this configuration. Also set by the variable OUTBOX_ENABLED.")
            .withDefault(false);

    private static final OutboxWorkerOptions DEFAULTS = OutboxWorkerOptions.defaults();

    private static final List<OptionKey<OutboxWorkerOptions.Builder, ?>> OPTIONS = List.of(
            OptionKey.of(
                    "concurrency",
                    ConfigType.integer(1, OutboxSenderOptions.MAX_CONCURRENCY),
                    "Maximum number of entries sent at the same time. Also set by the variable OUTBOX_CONCURRENCY.",
                    DEFAULTS.sender().concurrency(),
                    OutboxWorkerOptions.Builder::concurrency),
            OptionKey.optional(
                    "rate",
                    ConfigType.integer(1, OutboxSenderOptions.MAX_RATE),
                    "Maximum number of attempts that begin in a second, spread evenly.",
                    "no limit",
                    OutboxWorkerOptions.Builder::rate),
            OptionKey.of(
                    "batch",
                    ConfigType.integer(1, OutboxWorkerOptions.MAX_BATCH),
                    "Maximum number of entries claimed by one statement; no more than can be sent until the next claim. Also set by the variable"
                            + " OUTBOX_BATCH.",
                    DEFAULTS.batch(),
                    OutboxWorkerOptions.Builder::batch),
            OptionKey.of(
                    "poll-interval",
                    ConfigType.duration(OutboxWorkerOptions.MIN_POLL_INTERVAL, OutboxWorkerOptions.MAX_POLL_INTERVAL),
                    "Maximum delay before an idle worker that was not notified polls again. Also set by the variable"
                            + " OUTBOX_POLL_INTERVAL_SEC.",
                    DEFAULTS.pollInterval(),
                    OutboxWorkerOptions.Builder::pollInterval),
            OptionKey.of(
                    "lease",
                    ConfigType.duration(OutboxWorkerOptions.MIN_LEASE, OutboxWorkerOptions.MAX_LEASE),
                    "Time after its last renewal at which the lease of a claimed entry expires and another worker"
                            + " may claim it. Also set by the variable OUTBOX_LOCK_LEASE_SEC.",
                    DEFAULTS.lease(),
                    OutboxWorkerOptions.Builder::lease),
            OptionKey.of(
                    "send-timeout",
                    ConfigType.duration(OutboxSenderOptions.MIN_SEND_TIMEOUT, OutboxSenderOptions.MAX_SEND_TIMEOUT),
                    "Time limit of one attempt; past it the outcome is unknown. Also set by the variable BROKER_TIMEOUT_MS.",
                    DEFAULTS.sender().sendTimeout(),
                    OutboxWorkerOptions.Builder::sendTimeout),
            OptionKey.of(
                    "max-attempts",
                    ConfigType.integer(1, OutboxSenderOptions.MAX_MAX_ATTEMPTS),
                    "Maximum number of attempts for an entry, the first included. Also set by the variable OUTBOX_MAX_ATTEMPTS.",
                    DEFAULTS.sender().maxAttempts(),
                    OutboxWorkerOptions.Builder::maxAttempts),
            OptionKey.of(
                    "backoff",
                    BackoffType.TYPE,
                    "Delay after each failed attempt, the last one repeating; or a range such as 5s..10m: a"
                            + " random delay up to the first value, doubled with each attempt and capped at the second. Also set by the variable"
                            + " OUTBOX_BACKOFF_SEC.",
                    DEFAULTS.sender().backoff(),
                    OutboxWorkerOptions.Builder::backoff),
            OptionKey.optional(
                    "max-age",
                    ConfigType.duration(OutboxSenderOptions.MIN_MAX_AGE, OutboxSenderOptions.MAX_MAX_AGE),
                    "Age, counted from enqueueing, after which an entry is not retried, but aborted or parked. The first"
                            + " attempt is always made.",
                    "no limit",
                    OutboxWorkerOptions.Builder::maxAge),
            OptionKey.of(
                    "ordered-failure",
                    ConfigType.choice(OrderedFailurePolicy.class),
                    "Action for an entry with an ordering key that failed permanently: abort it and continue with"
                            + " its key, or park it and hold the key until an operator decides.",
                    DEFAULTS.sender().orderedFailure(),
                    OutboxWorkerOptions.Builder::orderedFailure),
            OptionKey.of(
                    "unknown-failure",
                    ConfigType.choice(UnknownFailure.class),
                    "Action for an entry that has no attempts or no time left, and may have reached the receiver: park"
                            + " it, so that its request stays in progress until an operator decides, or abort it, so that its"
                            + " client gets a failure that may be wrong. Applies to idempotent receivers; for others it is"
                            + " parked.",
                    DEFAULTS.sender().unknownFailure(),
                    OutboxWorkerOptions.Builder::unknownFailure),
            OptionKey.of(
                    "breaker-failures",
                    ConfigType.integer(0, OutboxSenderOptions.MAX_BREAKER_FAILURES),
                    "Number of consecutive attempts that did not reach the receiver after which the circuit"
                            + " breaker opens and claims pause; 0 disables the breaker.",
                    DEFAULTS.sender().breakerFailures(),
                    OutboxWorkerOptions.Builder::breakerFailures),
            OptionKey.of(
                    "breaker-pause",
                    ConfigType.duration(OutboxSenderOptions.MIN_BREAKER_PAUSE, OutboxSenderOptions.MAX_BREAKER_PAUSE),
                    "Time that an open circuit breaker pauses claims before one entry is attempted.",
                    DEFAULTS.sender().breakerPause(),
                    OutboxWorkerOptions.Builder::breakerPause),
            OptionKey.of(
                    "entry-retention",
                    ConfigType.duration(Duration.ZERO, OutboxWorkerOptions.MAX_RETENTION),
                    "Time after it succeeded or was aborted at which an entry is removed; 0s keeps entries for"
                            + " ever.",
                    DEFAULTS.entryRetention(),
                    OutboxWorkerOptions.Builder::entryRetention),
            OptionKey.of(
                    "ledger-retention",
                    ConfigType.duration(Duration.ZERO, OutboxWorkerOptions.MAX_RETENTION),
                    "Time that the idempotency ledger keeps a request after it was settled, at least as long as"
                            + " its entry is kept; set it longer than any client repeats a request. 0s keeps requests for"
                            + " ever.",
                    DEFAULTS.ledgerRetention(),
                    OutboxWorkerOptions.Builder::ledgerRetention),
            OptionKey.of(
                    "audit-retention",
                    ConfigType.duration(Duration.ZERO, OutboxWorkerOptions.MAX_RETENTION),
                    "Time that the audit log keeps actions of operators; 0s keeps them for ever.",
                    DEFAULTS.auditRetention(),
                    OutboxWorkerOptions.Builder::auditRetention));

    /** The group of the keys of senders of destinations. */
    static final String SENDERS = "senders";

    /** The keys of the options that each sender has of its own. */
    private static final Set<String> OF_SENDERS = Set.of(
            "concurrency",
            "rate",
            "send-timeout",
            "max-attempts",
            "backoff",
            "max-age",
            "ordered-failure",
            "unknown-failure",
            "breaker-failures",
            "breaker-pause");

    private OutboxKeys() {}

    /**
     * Returns the configuration of the sender of a destination: {@code senders.mail.concurrency} in the place of
     * {@code outbox.concurrency}, {@code senders.mail} in that of {@code sender}, and {@code senders.mail.http.url} in
     * that of {@code sender.http.url}.
     */
    static SpreamConfig ofSender(SpreamConfig config, String destination) {
        String sender = OutboxSenderProvider.PORT.key();
        return config.with(SENDERS, destination, sender, rest -> {
            if (rest.isEmpty()) {
                return sender;
            }
            String place = OF_SENDERS.contains(rest) ? OutboxStoreProvider.PORT.key() : sender;
            return place + "." + rest;
        });
    }

    static List<OptionKey<OutboxWorkerOptions.Builder, ?>> options() {
        return OPTIONS;
    }

    static List<ConfigKey<?>> all() {
        return Stream.concat(Stream.of(ENABLED), OPTIONS.stream().<ConfigKey<?>>map(OptionKey::key))
                .toList();
    }

    /** Returns the configured options, without worker name and listeners. */
    static OutboxWorkerOptions.Builder options(PluginConfig config) {
        OutboxWorkerOptions.Builder options = OutboxWorkerOptions.builder();
        OPTIONS.forEach(option -> option.apply(config, options));
        return options;
    }
}
