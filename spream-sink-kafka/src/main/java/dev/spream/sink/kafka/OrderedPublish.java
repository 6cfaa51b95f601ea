package dev.spream.sink.kafka;

import dev.spream.api.publish.KeyLanes;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.BatchConsumer.Batch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes one batch and reports the outcome of each of its changes, in the order of {@link KeyLanes}: a message is sent
 * when the one before it of its key is confirmed. All state is confined to the thread that calls {@link #run}; other
 * threads put events into a queue.
 *
 * <p>Messages of a topic wait until its partitions are known, and are refused together if they are not known in time; those
 * of other topics do not wait for that.
 *
 * <p>A message whose time is over may still lie in a broker that does not answer. If it is taken late, that is before all
 * later messages of the {@link SharedProducer} to its partition, as long as that keeps its producer: its retry repeats it,
 * in order.
 */
final class OrderedPublish {
    private static final Duration GRACE = Duration.ofSeconds(5); // for the client to say itself that a time is over

    private final SharedProducer shared;
    private final Producer<byte[], byte[]> producer;
    private final Partitions partitions;
    private final RowMessages messages;
    private final KafkaFailures failures;
    private final Batch batch;
    private final KeyLanes<Message> lanes;
    private final Map<String, Topic> topics = new HashMap<>();
    private final Map<KeyLanes.Request<Message>, Long> open =
            new LinkedHashMap<>(); // with deadlines, the first one first
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();

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

    private interface Event {
        void run() throws InterruptedException;
    }

    private static final class Topic {
        private final List<KeyLanes.Request<Message>> waiting = new ArrayList<>();
        private boolean known;
        private @Nullable Exception failure;
    }

    /** Publishes the batch. An interrupt ends the wait; messages in flight may then be published later. */
    void run() throws InterruptedException {
        enterAll();
        while (!lanes.judge()) {
            while (lanes.hasNext()) {
                handle(lanes.next(1, Long.MAX_VALUE));
            }
            next().run();
        }
    }

    /** Waits for the next event, which is that the client is late if there is none in time. */
    private Event next() throws InterruptedException {
        long left = open.values().iterator().next() - System.nanoTime();
        Event event = events.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
        return event == null ? this::abandon : event;
    }

    private Duration limit() {
        return shared.options().publishTimeout().plus(GRACE);
    }

    /** Refuses what is open: the client lets messages wait without a time limit while no broker gives it a producer id. */
    private void abandon() {
        shared.replace(producer);
        TimeoutException late = new TimeoutException(
                "Kafka's client neither confirmed the message nor reported a failure within %d ms, as when no broker answers its request for a producer id; another producer takes its place"
                        .formatted(limit().toMillis()));
        List.copyOf(open.keySet()).forEach(request -> answered(request, late));
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

    private void handle(KeyLanes.Request<Message> request) throws InterruptedException {
        String name = request.messages().getFirst().topic();
        Topic topic = topics.get(name);
        if (topic == null) {
            topic = new Topic();
            topics.put(name, topic);
            lookUp(name, topic);
        }
        open(request);
        Exception failure = topic.failure;
        if (failure != null) {
            answered(request, failure);
        } else if (topic.known) {
            send(request, topic);
        } else {
            topic.waiting.add(request);
        }
    }

    private void open(KeyLanes.Request<Message> request) {
        open.remove(request); // the order is that of the deadlines
        open.put(request, System.nanoTime() + limit().toNanos());
    }

    /** Has the partitions of a topic looked up by another thread, since the client blocks for them. */
    private void lookUp(String name, Topic topic) {
        Thread.ofVirtual().name("kafka-topic-" + name).start(() -> {
            Exception failure = null;
            try {
                producer.partitionsFor(name);
            } catch (KafkaException | IllegalStateException e) {
                failure = e;
            }
            Exception result = failure;
            events.add(() -> lookedUp(topic, result));
        });
    }

    private void lookedUp(Topic topic, @Nullable Exception failure) throws InterruptedException {
        replaceIf(failure != null && KafkaFailures.isFinalIfThrown(failure));
        topic.known = failure == null;
        topic.failure = failure;
        for (KeyLanes.Request<Message> request : topic.waiting) {
            if (!open.containsKey(request)) {
                continue; // abandoned
            }
            Exception known = topic.failure;
            if (known == null) {
                open(request);
                send(request, topic);
            } else {
                answered(request, known);
            }
        }
        topic.waiting.clear();
    }

    private void send(KeyLanes.Request<Message> request, Topic topic) throws InterruptedException {
        Message message = request.messages().getFirst();
        try {
            int partition = partitions.of(producer, message.topic(), message.key());
            producer.send(message.in(partition), (metadata, failure) -> events.add(() -> answered(request, failure)));
        } catch (InterruptException e) {
            Thread.interrupted(); // which the client has set again
            throw new InterruptedException("interrupted while a message was to be sent");
        } catch (KafkaException | IllegalStateException e) {
            replaceIf(KafkaFailures.isFinalIfThrown(e));
            if (e instanceof TimeoutException) {
                topic.failure = e; // its partitions are not known any more: the client blocks for each message
            }
            answered(request, e);
        }
    }

    /** Reports an answer, unless there was one: the client answers what it has taken even if it throws. */
    private void answered(KeyLanes.Request<Message> request, @Nullable Exception failure) {
        if (open.remove(request) == null) {
            return;
        }
        if (failure == null) {
            lanes.confirmed(request);
        } else {
            replaceIf(KafkaFailures.isFinalForProducer(failure));
            lanes.refused(request, (change, message) -> failures.of(change, message, failure));
        }
    }

    private void replaceIf(boolean unusable) {
        if (unusable) {
            shared.replace(producer);
        }
    }
}
