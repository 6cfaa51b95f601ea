package dev.spream.sink.pubsub;

import com.google.api.core.ApiFuture;
import com.google.protobuf.CodedOutputStream;
import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PublishResponse;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.BatchConsumer.Batch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Publishes one batch and reports the outcome of each of its changes. All state is confined to the thread that calls
 * {@link #run}; other threads put responses into a queue.
 *
 * <p>A change is <em>decided</em> when none of its messages waits or is in flight: confirmed if all of them were,
 * failed if not. When a message is refused, messages that wait after it on any key of its change are not sent, nor
 * those that wait after these; so when the change is retried or dead-lettered, only messages that were already in
 * flight have overtaken it, and these are published again after it. {@code run} returns when every change is decided:
 * then nothing is in flight that a next attempt could overtake.
 */
final class BatchPublish {
    private final TopicClient client;
    private final PubsubOptions options;
    private final PublishFailures failures;
    private final ChangeMessages messages;
    private final Batch batch;
    private final List<ChangeProgress> changes = new ArrayList<>();
    private final Map<String, KeyLane> lanes = new LinkedHashMap<>();
    private final Queue<KeyLane> ready = new ArrayDeque<>(); // lanes without a request in flight
    private final Set<ApiFuture<?>> onTheirWay = new HashSet<>();
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private int judged; // changes before it are settled, failed, or left to the engine
    private boolean anyFailed;

    BatchPublish(TopicClient client, ChangeMessages messages, Batch batch) {
        this.client = client;
        this.options = client.options();
        this.failures = PublishFailures.of(options);
        this.messages = messages;
        this.batch = batch;
    }

    private record Answer(KeyLane lane, List<ChangeMessage> request, ApiFuture<PublishResponse> future) {}

    /**
     * Publishes the batch. An interrupt ends the wait; requests in flight are then cancelled, and may have been
     * published or not.
     *
     * @throws IOException if the client is closed
     */
    void run() throws IOException, InterruptedException {
        enterAll();
        ready.addAll(lanes.values());
        try {
            judge();
            while (judged < changes.size()) {
                send();
                take(answers.take());
                judge();
            }
        } finally {
            onTheirWay.forEach(future -> future.cancel(true));
        }
    }

    private void enterAll() {
        for (int i = 0; i < batch.changes().size(); i++) {
            changes.add(new ChangeProgress(batch.changes().get(i)));
            try {
                enter(i, messages.of(batch.changes().get(i), batch.delivery(i)));
            } catch (NonRetryableException e) {
                changes.get(i).fail(e);
                enterPlaces(i);
            }
        }
        for (int i = 0; i < changes.size(); i++) {
            if (changes.get(i).failure().isPresent()) {
                block(i);
            }
        }
    }

    /**
     * Adds the messages of a change. If one of them is too large, all of them are added nevertheless, so that later
     * messages wait for them.
     */
    private void enter(int index, List<PubsubMessage> messages) {
        ChangeProgress change = changes.get(index);
        for (PubsubMessage message : messages) {
            ChangeMessage entered = ChangeMessage.of(index, message);
            change.enter(lanes.computeIfAbsent(message.getOrderingKey(), key -> new KeyLane()), entered);
            int size = entered.bytes()
                    + CodedOutputStream.computeStringSize(
                            PublishRequest.TOPIC_FIELD_NUMBER, options.topic().toString());
            if (size > TopicClient.MAX_REQUEST_BYTES) {
                change.fail(new NonRetryableException(
                        "the change %s is too large for %s: a message of it makes a request of %,d bytes, and Pub/Sub takes %,d"
                                .formatted(change.identity(), options.topic(), size, TopicClient.MAX_REQUEST_BYTES)));
            }
        }
    }

    /** Adds messages for a change that has none, so that later messages wait for it, unless its keys cannot be read. */
    private void enterPlaces(int index) {
        try {
            enter(index, ChangeMessages.places(batch.changes().get(index), batch.delivery(index)));
        } catch (NonRetryableException unreadable) {
            changes.get(index).fail(unreadable);
        }
    }

    private void send() throws IOException, InterruptedException {
        while (!ready.isEmpty()) {
            if (ready.element().isEmpty()) {
                ready.remove();
            } else if (takeSlot()) {
                send(ready.remove());
            } else {
                return;
            }
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

    private void send(KeyLane lane) throws IOException {
        List<ChangeMessage> request = lane.next(options.maxMessages(), options.maxBytes());
        ApiFuture<PublishResponse> future =
                client.publish(request.stream().map(ChangeMessage::message).toList());
        onTheirWay.add(future);
        future.addListener(() -> answers.add(new Answer(lane, request, future)), Runnable::run);
    }

    private void take(Answer answer) throws InterruptedException {
        onTheirWay.remove(answer.future());
        Optional<Throwable> refusal = refusal(answer);
        if (refusal.isEmpty()) {
            answer.request().forEach(message -> changes.get(message.change()).oneLess());
        } else if (answer.request().size() > 1 && PublishFailures.isRejection(refusal.get())) {
            // Each message is sent again in a request of its own, which shows which one is at fault.
            answer.lane().putBackAlone(answer.request()).forEach(this::leaveOut);
        } else {
            answer.request().forEach(message -> fail(message.change(), refusal.get()));
        }
        ready.add(answer.lane());
    }

    private static Optional<Throwable> refusal(Answer answer) throws InterruptedException {
        try {
            int confirmed = answer.future().get().getMessageIdsCount();
            int sent = answer.request().size();
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

    private void fail(int index, Throwable refusal) {
        ChangeProgress change = changes.get(index);
        change.oneLess();
        if (change.fail(failures.of(change.identity(), refusal))) {
            block(index);
        }
    }

    /** Excludes all messages that wait after a failed change, and those that wait after these, over all keys. */
    private void block(int failed) {
        Deque<Integer> blocked = new ArrayDeque<>(List.of(failed));
        while (!blocked.isEmpty()) {
            int index = blocked.remove();
            for (KeyLane lane : changes.get(index).lanes()) {
                for (ChangeMessage message : lane.block(index)) {
                    if (leaveOut(message)) {
                        blocked.add(message.change());
                    }
                }
            }
        }
    }

    /** Excludes a message; returns whether its change had not failed before. */
    private boolean leaveOut(ChangeMessage message) {
        ChangeProgress change = changes.get(message.change());
        change.oneLess();
        return change.fail(failures.behind(change.identity()));
    }

    /**
     * Advances to the first change without an outcome. A confirmed change after a failed one is left open: only the
     * engine knows the required ordering, and so whether the change must be published again.
     */
    private void judge() {
        while (judged < changes.size() && changes.get(judged).isDecided()) {
            Optional<Exception> failure = changes.get(judged).failure();
            failure.ifPresent(cause -> batch.fail(judged, cause));
            anyFailed |= failure.isPresent();
            if (!anyFailed) {
                batch.settle(judged);
            }
            judged++;
        }
    }
}
