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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Publishes entries of an outbox to a topic, each by a request of its own that is tried once. Safe for use by many threads;
 * closing waits a moment for what is on its way.
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
        if (!client.awaitSlot(
                timeout.dividedBy(2))) { // half, or else who interrupts it would not know that nothing left
            return new SendOutcome.Retryable(
                    ReasonCode.UNAVAILABLE,
                    "as many requests to %s as may be were on their way; nothing left".formatted(topic()));
        }
        return publish(message, deadline);
    }

    /** One that comes again gives the same. */
    private PubsubMessage message(OutboxEntry entry) {
        PubsubMessage.Builder message = PubsubMessage.newBuilder()
                .setData(ByteString.copyFromUtf8(entry.payload()))
                .putAttributes("idempotency-key", ShortText.of(entry.idempotencyKey()))
                .putAttributes("generation", Integer.toString(entry.generation()))
                .putAttributes("created-at", entry.createdAt().toString());
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
            return confirmed(answer.get(left(deadline).toNanos(), TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return new SendOutcome.Unknown(
                    ReasonCode.TIMEOUT, "%s did not answer in time; it may have been published".formatted(topic()));
        } catch (CancellationException e) {
            return new SendOutcome.Unknown(
                    ReasonCode.OUTCOME_UNKNOWN,
                    "the sender was closed before %s answered; it may have been published".formatted(topic()));
        } catch (ExecutionException e) {
            return EntryOutcomes.of(client.options()).of(e.getCause() == null ? e : e.getCause());
        } finally {
            answer.cancel(true); // nothing if it is done
        }
    }

    private SendOutcome confirmed(PublishResponse answer) {
        if (answer.getMessageIdsCount() != 1) {
            return new SendOutcome.Unknown(
                    ReasonCode.OUTCOME_UNKNOWN,
                    "%s confirmed %d messages instead of one; it may have been published"
                            .formatted(topic(), answer.getMessageIdsCount()));
        }
        return new SendOutcome.Succeeded(
                LedgerResult.succeeded(Json.text(Map.of("messageId", answer.getMessageIds(0)))));
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
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
