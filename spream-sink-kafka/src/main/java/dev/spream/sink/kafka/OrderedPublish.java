package dev.spream.sink.kafka;

import dev.spream.api.publish.KeyLanes;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.BatchConsumer.Batch;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one batch and reports the outcome of each of its changes, in the order of {@link KeyLanes}: a message is sent
 * when the one before it of its key is confirmed. All state is confined to the thread that calls {@link #run}; the
 * producer's thread puts answers into a queue.
 *
 * <p>A message whose time is over may still lie in a broker that does not answer. If it is taken late, that is before all
 * later messages of the {@link SharedProducer} to its partition: its retry repeats it, in order.
 */
final class OrderedPublish {
    private final SharedProducer shared;
    private final Producer<byte[], byte[]> producer;
    private final Partitions partitions;
    private final RowMessages messages;
    private final KafkaFailures failures;
    private final Batch batch;
    private final KeyLanes<Message> lanes;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();

    /** @throws IOException if the producer is closed */
    OrderedPublish(SharedProducer shared, Partitions partitions, RowMessages messages, Batch batch) throws IOException {
        this.shared = shared;
        this.producer = shared.get();
        this.partitions = partitions;
        this.messages = messages;
        this.failures = new KafkaFailures(shared.options());
        this.batch = batch;
        this.lanes = new KeyLanes<>(batch, failures::behind);
    }

    private record Answer(
            KeyLanes.Request<Message> request, @Nullable Exception failure) {}

    /** Publishes the batch. An interrupt ends the wait; messages in flight may then be published later. */
    void run() throws InterruptedException {
        enterAll();
        while (!lanes.judge()) {
            while (lanes.hasNext()) {
                send(lanes.next(1, Long.MAX_VALUE));
            }
            take(answers.take());
        }
    }

    private void enterAll() {
        Map<Integer, NonRetryableException> unusable = new LinkedHashMap<>();
        for (int i = 0; i < batch.changes().size(); i++) {
            try {
                enter(i, messages.of(batch.changes().get(i), batch.delivery(i)));
            } catch (NonRetryableException e) {
                unusable.put(i, e);
                enterPlaces(i);
            }
        }
        unusable.forEach(lanes::fail);
    }

    private void enter(int index, List<Message> entered) {
        entered.forEach(message -> lanes.enter(index, message.lane(), message, message.bytes()));
    }

    /** Adds messages for a change that has none, so that later messages wait for it, unless its keys cannot be read. */
    private void enterPlaces(int index) {
        try {
            enter(index, messages.places(batch.changes().get(index), batch.delivery(index)));
        } catch (NonRetryableException unreadable) {
            // The change fails for the reason that is known already; its place among others is not known.
        }
    }

    private void send(KeyLanes.Request<Message> request) throws InterruptedException {
        try {
            Message message = request.messages().getFirst();
            producer.send(
                    message.in(partitions.of(producer, message.topic(), message.key())),
                    (metadata, failure) -> answers.add(new Answer(request, failure)));
        } catch (InterruptException e) {
            Thread.interrupted(); // which the client has set again
            throw new InterruptedException("interrupted while a message was to be sent");
        } catch (KafkaException | IllegalStateException e) {
            answers.add(new Answer(request, e));
        }
    }

    private void take(Answer answer) {
        Exception failure = answer.failure();
        if (failure == null) {
            lanes.confirmed(answer.request());
            return;
        }
        if (KafkaFailures.isFinalForProducer(failure)) {
            shared.replace(producer);
        }
        lanes.refused(answer.request(), (change, message) -> failures.of(change, message, failure));
    }
}
