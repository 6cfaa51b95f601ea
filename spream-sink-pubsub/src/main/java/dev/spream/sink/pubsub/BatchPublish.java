package dev.spream.sink.pubsub;

import com.google.api.core.ApiFuture;
import com.google.protobuf.CodedOutputStream;
import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PublishResponse;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.api.publish.KeyLanes;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.BatchConsumer.Batch;
import dev.spream.core.record.RecordIdentity;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one batch and reports the outcome of each of its changes, in the order of {@link KeyLanes}. All state is
 * confined to the thread that calls {@link #run}; other threads put responses into a queue.
 */
final class BatchPublish {
    private final TopicClient client;
    private final PubsubOptions options;
    private final PublishFailures failures;
    private final ChangeMessages messages;
    private final Batch batch;
    private final KeyLanes<PubsubMessage> lanes;
    private final Set<ApiFuture<?>> onTheirWay = new HashSet<>();
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

    BatchPublish(TopicClient client, ChangeMessages messages, Batch batch) {
        this.client = client;
        this.options = client.options();
        this.failures = PublishFailures.of(options);
        this.messages = messages;
        this.batch = batch;
        this.lanes = new KeyLanes<>(batch, failures::behind);
    }

    private record Answer(KeyLanes.Request<PubsubMessage> request, ApiFuture<PublishResponse> future) {}

    /**
     * Publishes the batch. An interrupt ends the wait; requests in flight are then cancelled, and may have been
     * published or not.
     *
     * @throws IOException if the client is closed
     */
    void run() throws IOException, InterruptedException {
        enterAll();
        try {
            while (!lanes.judge()) {
                send();
                take(answers.take());
            }
        } finally {
            onTheirWay.forEach(future -> future.cancel(true));
        }
    }

    private void enterAll() {
        List<@Nullable Exception> unusable = new ArrayList<>();
        for (int i = 0; i < batch.changes().size(); i++) {
            unusable.add(enter(i));
        }
        for (int i = 0; i < unusable.size(); i++) {
            Exception failure = unusable.get(i);
            if (failure != null) {
                lanes.fail(i, failure);
            }
        }
    }

    /** Adds the messages of a change; returns the reason if none of them is to be sent. */
    private @Nullable Exception enter(int index) {
        try {
            return enter(index, messages.of(batch.changes().get(index), batch.delivery(index)));
        } catch (NonRetryableException e) {
            enterPlaces(index);
            return e;
        }
    }

    /**
     * Adds messages. If one of them is too large, all of them are added nevertheless, so that later messages wait for them.
     *
     * @return the reason if none of them is to be sent
     */
    private @Nullable Exception enter(int index, List<PubsubMessage> entered) {
        Exception failure = null;
        for (PubsubMessage message : entered) {
            int bytes = CodedOutputStream.computeMessageSize(PublishRequest.MESSAGES_FIELD_NUMBER, message);
            lanes.enter(index, message.getOrderingKey(), message, bytes);
            int size = bytes
                    + CodedOutputStream.computeStringSize(
                            PublishRequest.TOPIC_FIELD_NUMBER, options.topic().toString());
            if (size > TopicClient.MAX_REQUEST_BYTES && failure == null) {
                RecordIdentity change = batch.changes().get(index).identity();
                failure = new NonRetryableException(
                        "the change %s is too large for %s: a message of it makes a request of %,d bytes, and Pub/Sub takes %,d"
                                .formatted(change, options.topic(), size, TopicClient.MAX_REQUEST_BYTES));
            }
        }
        return failure;
    }

    /** Adds messages for a change that has none, so that later messages wait for it, unless its keys cannot be read. */
    private void enterPlaces(int index) {
        try {
            enter(index, ChangeMessages.places(batch.changes().get(index), batch.delivery(index)));
        } catch (NonRetryableException unreadable) {
            // The change fails for the reason that is known already; its place among others is not known.
        }
    }

    private void send() throws IOException, InterruptedException {
        while (lanes.hasNext() && takeSlot()) {
            KeyLanes.Request<PubsubMessage> request = lanes.next(options.maxMessages(), options.maxBytes());
            ApiFuture<PublishResponse> future = client.publish(request.messages());
            onTheirWay.add(future);
            future.addListener(() -> answers.add(new Answer(request, future)), Runnable::run);
        }
    }

    /** Waits for a slot only if this batch holds none; see {@link TopicClient}. */
    private boolean takeSlot() throws InterruptedException {
        if (!onTheirWay.isEmpty()) {
            return client.takeFreeSlot();
        }
        client.awaitSlot();
        return true;
    }

    private void take(Answer answer) throws InterruptedException {
        onTheirWay.remove(answer.future());
        Optional<Throwable> refusal = refusal(answer);
        if (refusal.isEmpty()) {
            lanes.confirmed(answer.request());
        } else if (answer.request().messages().size() > 1 && PublishFailures.isRejection(refusal.get())) {
            lanes.sendAlone(answer.request());
        } else {
            lanes.refused(answer.request(), (change, message) -> failures.of(change, refusal.get()));
        }
    }

    private static Optional<Throwable> refusal(Answer answer) throws InterruptedException {
        try {
            int confirmed = answer.future().get().getMessageIdsCount();
            int sent = answer.request().messages().size();
            return confirmed == sent
                    ? Optional.empty()
                    : Optional.of(new IOException(
                            "%d of %d messages of a request were confirmed".formatted(confirmed, sent)));
        } catch (CancellationException e) {
            return Optional.of(e);
        } catch (ExecutionException e) {
            return Optional.of(e.getCause() == null ? e : e.getCause());
        }
    }
}
