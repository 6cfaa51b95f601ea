package dev.spream.spring.jdbc;

import dev.spream.api.BackoffType;
import dev.spream.outbox.worker.OrderedFailurePolicy;
import dev.spream.outbox.worker.OutboxListener;
import dev.spream.outbox.worker.OutboxSenderOptions;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.outbox.worker.UnknownFailure;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the outbox over the data source of the application.
 *
 * @param enabled whether there is one
 * @param schema the schema of its tables; null for the default
 * @param table the table of the entries; null for the default
 * @param ledger the table of the idempotency keys; null for the default
 * @param migrate whether to create and migrate the tables
 * @param statementTimeout the limit of a statement of a worker
 * @param worker the worker, if there are sender beans
 * @param senders the limits of senders that differ, by destination
 */
@ConfigurationProperties(prefix = "spream.outbox", ignoreUnknownFields = false)
record OutboxProperties(
        @DefaultValue("false") boolean enabled,
        @Nullable String schema,
        @Nullable String table,
        @Nullable String ledger,
        @DefaultValue("true") boolean migrate,
        @DefaultValue("5s") Duration statementTimeout,
        @DefaultValue Worker worker,
        @DefaultValue Map<String, Limits> senders) {

    /**
     * The worker.
     *
     * @param enabled whether there is one
     * @param name its name for operators
     * @param batch the maximum number of entries that one statement claims
     * @param pollInterval the pause between polls
     * @param lease the time after which the entries of a worker that died can be claimed
     * @param entryRetention the time that settled entries are kept; zero for ever, as for the others
     * @param ledgerRetention the time that the ledger keeps settled requests
     * @param auditRetention the time that actions of operators are kept
     * @param shutdownTimeout the time within which the worker ends at a shutdown
     * @param concurrency the number of entries that a sender sends at the same time; null for the default, as below
     * @param rate the maximum number of attempts that a sender begins in a second
     * @param sendTimeout the maximum duration of an attempt
     * @param maxAttempts the maximum number of attempts for an entry
     * @param backoff the delays between attempts, as {@link BackoffType} reads them
     * @param maxAge the age after which an entry is not retried
     * @param orderedFailure the action for an entry with an ordering key that failed permanently
     * @param unknownFailure the action for an entry without attempts left that may have reached the receiver
     * @param breakerFailures the failures in a row that open a circuit breaker
     * @param breakerPause the time that one is open before a probe
     */
    record Worker(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("spream") String name,
            @DefaultValue("32") int batch,
            @DefaultValue("500ms") Duration pollInterval,
            @DefaultValue("2m") Duration lease,
            @DefaultValue("7d") Duration entryRetention,
            @DefaultValue("30d") Duration ledgerRetention,
            @DefaultValue("90d") Duration auditRetention,
            @DefaultValue("20s") Duration shutdownTimeout,
            @Nullable Integer concurrency,
            @Nullable Integer rate,
            @Nullable Duration sendTimeout,
            @Nullable Integer maxAttempts,
            @Nullable String backoff,
            @Nullable Duration maxAge,
            @Nullable OrderedFailurePolicy orderedFailure,
            @Nullable UnknownFailure unknownFailure,
            @Nullable Integer breakerFailures,
            @Nullable Duration breakerPause) {
        OutboxWorkerOptions options(Stream<OutboxListener> listeners) {
            return at("spream.outbox.worker", () -> {
                OutboxWorkerOptions.Builder options = builder();
                listeners.forEach(options::listener);
                return options.build();
            });
        }

        private OutboxWorkerOptions.Builder builder() {
            OutboxWorkerOptions.Builder options = OutboxWorkerOptions.builder()
                    .name(name)
                    .batch(batch)
                    .pollInterval(pollInterval)
                    .lease(lease)
                    .entryRetention(entryRetention)
                    .ledgerRetention(ledgerRetention)
                    .auditRetention(auditRetention);
            Limits limits = new Limits(
                    concurrency,
                    rate,
                    sendTimeout,
                    maxAttempts,
                    backoff,
                    maxAge,
                    orderedFailure,
                    unknownFailure,
                    breakerFailures,
                    breakerPause);
            limits.apply(options);
            return options;
        }
    }

    /**
     * The limits of a sender; null for the default, or for that of the worker.
     *
     * @param concurrency the number of entries that are sent at the same time
     * @param rate the maximum number of attempts that begin in a second
     * @param sendTimeout the maximum duration of an attempt
     * @param maxAttempts the maximum number of attempts for an entry
     * @param backoff the delays between attempts, as {@link BackoffType} reads them
     * @param maxAge the age after which an entry is not retried
     * @param orderedFailure the action for an entry with an ordering key that failed permanently
     * @param unknownFailure the action for an entry without attempts left that may have reached the receiver
     * @param breakerFailures the failures in a row that open the circuit breaker
     * @param breakerPause the time that it is open before a probe
     */
    record Limits(
            @Nullable Integer concurrency,
            @Nullable Integer rate,
            @Nullable Duration sendTimeout,
            @Nullable Integer maxAttempts,
            @Nullable String backoff,
            @Nullable Duration maxAge,
            @Nullable OrderedFailurePolicy orderedFailure,
            @Nullable UnknownFailure unknownFailure,
            @Nullable Integer breakerFailures,
            @Nullable Duration breakerPause) {
        <B extends OutboxSenderOptions.Settings<B>> void apply(OutboxSenderOptions.Settings<B> options) {
            set(concurrency, options::concurrency);
            set(rate, options::rate);
            set(sendTimeout, options::sendTimeout);
            set(maxAttempts, options::maxAttempts);
            set(backoff, text -> options.backoff(at("backoff", () -> BackoffType.TYPE.read(text))));
            set(maxAge, options::maxAge);
            set(orderedFailure, options::orderedFailure);
            set(unknownFailure, options::unknownFailure);
            set(breakerFailures, options::breakerFailures);
            set(breakerPause, options::breakerPause);
        }

        private static <V> void set(@Nullable V value, Consumer<V> setter) {
            if (value != null) {
                setter.accept(value);
            }
        }
    }

    /** Returns what is built, or fails with the place of properties that are out of range. */
    private static <O> O at(String place, Supplier<O> build) {
        try {
            return build.get();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("%s: %s".formatted(place, e.getMessage()));
        }
    }

    /**
     * Requires a sender for each destination with limits.
     *
     * @throws IllegalStateException if there is none
     */
    void requireSenders(Set<String> destinations) {
        for (String destination : senders.keySet()) {
            if (destination.isEmpty() || !destinations.contains(destination)) {
                throw new IllegalStateException(
                        "spream.outbox.senders.%s has limits, but there is no OutboxSender bean with @OutboxDestination(\"%s\"); there are %s"
                                .formatted(destination, destination, destinations));
            }
        }
    }

    /** Returns the options of the sender of a destination. */
    OutboxSenderOptions sender(String destination, OutboxWorkerOptions worker) {
        return at("spream.outbox.senders." + destination, () -> {
            OutboxSenderOptions.Builder options = worker.sender().toBuilder();
            Limits limits = senders.get(destination);
            if (limits != null) {
                limits.apply(options);
            }
            return options.build();
        });
    }
}
