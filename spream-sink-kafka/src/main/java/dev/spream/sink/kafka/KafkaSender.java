package dev.spream.sink.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.spream.core.record.Json;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Publishes entries of an outbox to a topic. Safe for use by many threads; closing waits briefly for messages in flight.
 *
 * <p>An entry whose outcome is unknown may still be published by the client, within {@code publish-timeout}; the one that
 * is sent in its place comes after it, since both are requests of one producer to one partition.
 */
record KafkaSender(SharedProducer shared, String topic, Partitions partitions, Guarantee guarantee, boolean ordering)
        implements OutboxSender, AutoCloseable {

    /**
     * The end of an attempt.
     *
     * @param left whether the message may have left this process
     */
    private record Answer(
            @Nullable RecordMetadata place, @Nullable Exception failure, boolean left) {}

    @Override
    public String name() {
        return "kafka";
    }

    @Override
    public SendOutcome send(OutboxEntry entry, Duration timeout) throws InterruptedException {
        Producer<byte[], byte[]> producer;
        try {
            producer = shared.getNow();
        } catch (IOException e) {
            return new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, "%s; nothing left".formatted(e.getMessage()));
        }
        try {
            CompletableFuture<Answer> answer = answer(producer, entry);
            return outcome(
                    producer, answer.isDone() ? answer.join() : answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS));
        } catch (java.util.concurrent.TimeoutException e) {
            return unknown(ReasonCode.TIMEOUT, "topic %s was not confirmed in time".formatted(topic));
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("ReferenceEquality") // a thread equals only itself
    private CompletableFuture<Answer> answer(Producer<byte[], byte[]> producer, OutboxEntry entry) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Thread caller = Thread.currentThread();
        try {
            // In the caller's thread the client reports only messages that it did not take.
            var unused = producer.send(
                    message(producer, entry),
                    (place, failure) -> answer.complete(new Answer(place, failure, Thread.currentThread() != caller)));
        } catch (KafkaException | IllegalStateException e) { // also of an interrupt, before it took the message
            answer.complete(new Answer(null, e, false));
        }
        return answer;
    }

    /** Returns the message of an entry; the same if the entry is sent again. */
    private ProducerRecord<byte[], byte[]> message(Producer<byte[], byte[]> producer, OutboxEntry entry) {
        Headers headers = new RecordHeaders();
        add(headers, "idempotency-key", entry.idempotencyKey());
        add(headers, "generation", Integer.toString(entry.generation()));
        add(headers, "entry-id", Long.toString(entry.id()));
        add(headers, "created-at", entry.createdAt().toString());
        entry.payloadType().ifPresent(type -> add(headers, "payload-type", type));
        if (!entry.destination().isEmpty()) {
            add(headers, "destination", entry.destination());
        }
        entry.traceparent().ifPresent(traceparent -> add(headers, "traceparent", traceparent));
        byte[] key =
                ordering ? entry.orderingKey().map(text -> text.getBytes(UTF_8)).orElse(null) : null;
        @Nullable Integer partition = key == null ? null : (Integer) partitions.of(producer, topic, key);
        return new ProducerRecord<>(topic, partition, key, entry.payload().getBytes(UTF_8), headers);
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(UTF_8));
    }

    private SendOutcome outcome(Producer<byte[], byte[]> producer, Answer answer) {
        Exception failure = answer.failure();
        if (failure != null) {
            if (answer.left() ? KafkaFailures.isFinalForProducer(failure) : KafkaFailures.isFinalIfThrown(failure)) {
                shared.replaceAfter(producer, failure);
            }
            return refused(failure, answer.left());
        }
        shared.confirmed(producer);
        RecordMetadata place = requireNonNull(answer.place(), "place");
        return new SendOutcome.Succeeded(LedgerResult.succeeded(
                Json.text(Map.of("topic", place.topic(), "partition", place.partition(), "offset", place.offset()))));
    }

    /** Returns the outcome of a failed attempt, as {@link KafkaSenderProvider} documents it. */
    private SendOutcome refused(Exception failure, boolean left) {
        KafkaFailures failures = new KafkaFailures(shared.options());
        String message =
                "topic %s: %s%s".formatted(topic, failures.what(failure), failures.advice(Optional.of(topic), failure));
        if (KafkaFailures.isRejection(failure)) {
            return new SendOutcome.Permanent(ReasonCode.INVALID_REQUEST, message);
        }
        if (failure instanceof TopicAuthorizationException) {
            return new SendOutcome.Retryable(ReasonCode.UNAUTHORIZED, message);
        }
        if (left) {
            return unknown(
                    failure instanceof TimeoutException ? ReasonCode.TIMEOUT : ReasonCode.OUTCOME_UNKNOWN, message);
        }
        Throwable reason = failure.getCause() == null ? failure : failure.getCause();
        boolean unauthorized = reason instanceof AuthenticationException || reason instanceof AuthorizationException;
        return new SendOutcome.Retryable(
                unauthorized ? ReasonCode.UNAUTHORIZED : ReasonCode.UNAVAILABLE, message + "; nothing left");
    }

    private static SendOutcome unknown(ReasonCode reason, String message) {
        return new SendOutcome.Unknown(reason, message + "; it may have been published, or still be");
    }

    @Override
    public void close() {
        shared.close();
    }

    @Override
    public String toString() {
        return "kafka to " + topic;
    }
}
