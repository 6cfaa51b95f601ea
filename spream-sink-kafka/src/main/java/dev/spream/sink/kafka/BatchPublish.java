package dev.spream.sink.kafka;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.BatchConsumer.Batch;
import dev.spream.sink.kafka.KeyLane.ChangeMessage;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one batch and reports the outcome of each of its changes. All state is confined to the thread that calls
 * {@link #run}; the producer's thread puts answers into a queue.
 *
 * <p>A change is <em>decided</em> when none of its messages waits or is in flight: confirmed if all of them were, failed
 * if not. When a message is refused, messages that wait after it on any key of its change are not sent, nor those that
 * wait after these; so when the change is retried or dead-lettered, only messages that were already in flight have
 * overtaken it, and these are published again after it. {@code run} returns when every change is decided.
 *
 * <p>A message whose time is over may still be on its way, or lie in a broker that does not answer. If it is taken late,
 * that is before all later messages of the {@link SharedProducer}, to the same partition: a repetition, in order.
 */
final class BatchPublish {
    private final SharedProducer shared;
    private final Producer<byte[], byte[]> producer;
    private final Partitions partitions;
    private final ChangeMessages messages;
    private final PublishFailures failures;
    private final Batch batch;
    private final List<ChangeProgress> changes = new ArrayList<>();
    private final Map<String, KeyLane> lanes = new LinkedHashMap<>();
    private final Queue<KeyLane> ready = new ArrayDeque<>(); // lanes without a message in flight
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private int judged; // changes before it are settled, failed, or left to the engine
    private boolean anyFailed;

    /** @throws IOException if the producer is closed */
    BatchPublish(SharedProducer shared, Partitions partitions, ChangeMessages messages, Batch batch)
            throws IOException {
        this.shared = shared;
        this.producer = shared.get();
        this.partitions = partitions;
        this.messages = messages;
        this.failures = new PublishFailures(shared.options());
        this.batch = batch;
    }

    private record Answer(KeyLane lane, ChangeMessage sent, @Nullable Exception failure) {}

    /** Publishes the batch. An interrupt ends the wait; messages in flight may then be published later. */
    void run() throws InterruptedException {
        enterAll();
        ready.addAll(lanes.values());
        judge();
        while (judged < changes.size()) {
            send();
            take(answers.take());
            judge();
        }
    }

    private void enterAll() {
        for (int i = 0; i < batch.changes().size(); i++) {
            ChangeProgress change = new ChangeProgress(batch.changes().get(i));
            changes.add(change);
            try {
                for (Message message : messages.of(batch.changes().get(i), batch.delivery(i))) {
                    change.enter(
                            lanes.computeIfAbsent(message.lane(), key -> new KeyLane()), new ChangeMessage(i, message));
                }
            } catch (NonRetryableException e) {
                change.fail(e); // of no known key: later changes do not wait for it
            }
        }
    }

    private void send() throws InterruptedException {
        while (!ready.isEmpty()) {
            KeyLane lane = ready.remove();
            if (!lane.isEmpty()) {
                send(lane, lane.next());
            }
        }
    }

    private void send(KeyLane lane, ChangeMessage next) throws InterruptedException {
        try {
            Message message = next.message();
            producer.send(
                    message.in(partitions.of(producer, message.topic(), message.key())),
                    (metadata, failure) -> answers.add(new Answer(lane, next, failure)));
        } catch (InterruptException e) {
            Thread.interrupted(); // which the client has set again
            throw new InterruptedException("interrupted while a message was to be sent");
        } catch (KafkaException | IllegalStateException e) {
            answers.add(new Answer(lane, next, e));
        }
    }

    private void take(Answer answer) {
        int index = answer.sent().change();
        ChangeProgress change = changes.get(index);
        change.oneLess();
        Exception failure = answer.failure();
        if (failure != null) {
            if (PublishFailures.isFinalForProducer(failure)) {
                shared.replace(producer);
            }
            if (change.fail(failures.of(change.identity(), answer.sent().message(), failure))) {
                block(index);
            }
        }
        ready.add(answer.lane());
    }

    /** Excludes all messages that wait after a failed change, and those that wait after these, over all keys. */
    private void block(int failed) {
        Deque<Integer> blocked = new ArrayDeque<>(List.of(failed));
        while (!blocked.isEmpty()) {
            int index = blocked.remove();
            for (KeyLane lane : changes.get(index).lanes()) {
                for (ChangeMessage message : lane.block(index)) {
                    ChangeProgress change = changes.get(message.change());
                    change.oneLess();
                    if (change.fail(failures.behind(change.identity()))) {
                        blocked.add(message.change());
                    }
                }
            }
        }
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
