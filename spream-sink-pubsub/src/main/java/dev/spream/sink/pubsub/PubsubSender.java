package dev.spream.sink.pubsub;

import com.google.api.core.ApiFuture;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PublishResponse;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.core.record.Json;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes entries of an outbox to a topic, each by a request of its own that is tried once. Safe for use by many
 * threads; closing waits briefly for requests in flight.
 */
record PubsubSender(TopicClient client, Guarantee guarantee, boolean ordering) implements OutboxSender, AutoCloseable {
    @Override
    public String name() {
        return "pubsub";
    }

    @Override
    public SendOutcome send(OutboxEntry entry, Duration timeout) throws InterruptedException {
        PubsubMessage message = message(entry);
        int size = requestSize(message);
        if (size > TopicClient.MAX_REQUEST_BYTES) {
            return new SendOutcome.Permanent(
                    ReasonCode.INVALID_REQUEST,
                    "the entry is too large for %s: it makes a request of %,d bytes, and Pub/Sub takes %,d"
                            .formatted(topic(), size, TopicClient.MAX_REQUEST_BYTES));
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        if (!client.awaitSlot(timeout.dividedBy(2))) { // half, so that it can report that nothing was sent
            return new SendOutcome.Retryable(
                    ReasonCode.UNAVAILABLE,
                    "the maximum number of requests to %s were in flight; nothing was sent".formatted(topic()));
        }
        return publish(message, deadline);
    }

    /** Returns the message of an entry; the same if the entry is sent again. */
    private PubsubMessage message(OutboxEntry entry) {
        PubsubMessage.Builder message = PubsubMessage.newBuilder()
                .setData(ByteString.copyFromUtf8(entry.payload()))
                .putAttributes("idempotency-key", ShortText.of(entry.idempotencyKey()))
                .putAttributes("generation", Integer.toString(entry.generation()))
                .putAttributes("entry-id", Long.toString(entry.id()))
                .putAttributes("created-at", entry.createdAt().toString());
        entry.payloadType().ifPresent(type -> message.putAttributes("payload-type", ShortText.of(type)));
        if (!entry.destination().isEmpty()) {
            message.putAttributes("destination", entry.destination());
        }
        entry.traceparent().ifPresent(traceparent -> message.putAttributes("traceparent", ShortText.of(traceparent)));
        if (ordering) {
            entry.orderingKey().ifPresent(key -> message.setOrderingKey(ShortText.of(key)));
        }
        return message.build();
    }

    private int requestSize(PubsubMessage message) {
        return CodedOutputStream.computeMessageSize(PublishRequest.MESSAGES_FIELD_NUMBER, message)
                + CodedOutputStream.computeStringSize(PublishRequest.TOPIC_FIELD_NUMBER, topic().toString());
    }

    private SendOutcome publish(PubsubMessage message, long deadline) throws InterruptedException {
        ApiFuture<PublishResponse> answer;
        try {
            answer = client.publish(List.of(message));
        } catch (IOException e) {
            return new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, "%s; nothing left".formatted(e.getMessage()));
        }
        try {
            return confirmed(answer.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return unknown(ReasonCode.TIMEOUT, "%s did not respond in time".formatted(topic()));
        } catch (CancellationException e) {
            return unknown(ReasonCode.OUTCOME_UNKNOWN, "the sender was closed before %s responded".formatted(topic()));
        } catch (ExecutionException e) {
            return refused(e.getCause() == null ? e : e.getCause());
        } finally {
            answer.cancel(true); // no effect if it is done
        }
    }

    private SendOutcome confirmed(PublishResponse answer) {
        if (answer.getMessageIdsCount() != 1) {
            return unknown(
                    ReasonCode.OUTCOME_UNKNOWN,
                    "%s confirmed %d messages instead of one".formatted(topic(), answer.getMessageIdsCount()));
        }
        return new SendOutcome.Succeeded(
                LedgerResult.succeeded(Json.text(Map.of("messageId", answer.getMessageIds(0)))));
    }

    /**
     * Returns the outcome of an attempt without a response, or with a refusal, as {@link PubsubSenderProvider}
     * documents it.
     *
     * @see <a href="https://cloud.google.com/pubsub/docs/reference/error-codes">Pub/Sub: error codes</a>
     */
    private SendOutcome refused(Throwable failure) {
        PubsubTopic topic = topic();
        PubsubAdvice advice = PubsubAdvice.of(client.options());
        String message = "%s answered with %s%s".formatted(topic, PubsubAdvice.what(failure), advice.on(failure));
        return switch (PubsubAdvice.code(failure)) {
            case null ->
                unknown(
                        ReasonCode.OUTCOME_UNKNOWN,
                        "%s did not respond (%s)"
                                .formatted(topic, failure.getClass().getSimpleName()));
            case INVALID_ARGUMENT -> new SendOutcome.Permanent(ReasonCode.INVALID_REQUEST, message);
            case RESOURCE_EXHAUSTED -> new SendOutcome.Retryable(ReasonCode.RATE_LIMITED, message);
            case PERMISSION_DENIED, UNAUTHENTICATED -> new SendOutcome.Retryable(ReasonCode.UNAUTHORIZED, message);
            case NOT_FOUND, FAILED_PRECONDITION -> new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, message);
            case UNAVAILABLE ->
                isBeforeRequest(failure)
                        ? new SendOutcome.Retryable(ReasonCode.UNAVAILABLE, message + "; nothing left")
                        : unknown(ReasonCode.OUTCOME_UNKNOWN, message);
            case DEADLINE_EXCEEDED -> unknown(ReasonCode.TIMEOUT, message);
            case OK, CANCELLED, UNKNOWN, ALREADY_EXISTS, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, DATA_LOSS ->
                unknown(ReasonCode.OUTCOME_UNKNOWN, message);
        };
    }

    private static SendOutcome unknown(ReasonCode reason, String message) {
        return new SendOutcome.Unknown(reason, message + "; it may have been published");
    }

    /** Returns whether there was no connection, so that the request cannot have been sent. */
    private static boolean isBeforeRequest(@Nullable Throwable failure) {
        return switch (failure) {
            case null -> false;
            case ConnectException refused -> true;
            case UnknownHostException nameless -> true;
            default -> isBeforeRequest(failure.getCause());
        };
    }

    private PubsubTopic topic() {
        return client.options().topic();
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public String toString() {
        return "pubsub to " + topic();
    }
}
