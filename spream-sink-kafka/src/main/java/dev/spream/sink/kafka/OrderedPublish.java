package dev.spream.sink.kafka;

import dev.spream.api.publish.KeyLanes;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.BatchConsumer.Batch;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * <p>The client blocks for the partitions of a topic, at first and after it has lost them, and for memory. So each topic has
 * a thread that hands its messages to the client, and those of other topics do not wait for it. After such a wait in vain
 * the messages of the topic are refused, until the end of the batch.
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
    private final Set<KeyLanes.Request<Message>> open = new LinkedHashSet<>();
    private final BlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private boolean confirmed; // whether a message of the batch was

    /** @throws IOException if the producer is closed */
    OrderedPublish(SharedProducer shared, Partitions partitions, RowMessages messages, Batch batch)
            throws IOException, InterruptedException {
        this.shared = shared;
        this.producer = shared.get();
        this.partitions = partitions;
        this.messages = messages;
        this.failures = new KafkaFailures(shared.options());
        this.batch = batch;
        this.lanes = new KeyLanes<>(batch, failures::behind);
    }

    /** Publishes the batch. An interrupt ends the wait; messages in flight may then be published later. */
    void run() throws InterruptedException {
        try {
            enterAll();
            while (!lanes.judge()) {
                while (lanes.hasNext()) {
                    handle(lanes.next(1, Long.MAX_VALUE));
                }
                Runnable event = events.poll(limit().toNanos(), TimeUnit.NANOSECONDS);
                (event == null ? (Runnable) this::abandon : event).run();
            }
        } finally {
            topics.values().forEach(Topic::end);
        }
    }

    /** Returns the time without an event after which the client is late: it may wait for a topic, and then for an answer. */
    private Duration limit() {
        return shared.options().publishTimeout().multipliedBy(2).plus(GRACE);
    }

    /** Refuses what is open: the client lets messages wait without a time limit while no broker gives it a producer id. */
    private void abandon() {
        shared.replace(producer);
        TimeoutException late = new TimeoutException(
                "Kafka's client neither confirmed the message nor reported a failure within %d ms, as when no broker answers its request for a producer id; another producer takes its place"
                        .formatted(limit().toMillis()));
        List.copyOf(open).forEach(request -> answered(request, late));
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

    private void handle(KeyLanes.Request<Message> request) {
        open.add(request);
        topics.computeIfAbsent(request.messages().getFirst().topic(), Topic::new)
                .queue
                .add(request);
    }

    /** Reports an answer, unless there was one: the client answers what it has taken even if it throws. */
    private void answered(KeyLanes.Request<Message> request, @Nullable Exception failure) {
        if (!open.remove(request)) {
            return;
        }
        if (failure == null) {
            if (!confirmed) {
                confirmed = true;
                shared.confirmed(producer);
            }
            lanes.confirmed(request);
        } else {
            replaceIf(KafkaFailures.isFinalForProducer(failure), failure);
            lanes.refused(request, (change, message) -> failures.of(change, message, failure));
        }
    }

    private void notTaken(KeyLanes.Request<Message> request, Exception failure) {
        replaceIf(KafkaFailures.isFinalIfThrown(failure), failure);
        answered(request, failure);
    }

    private void replaceIf(boolean unusable, Exception failure) {
        if (unusable) {
            shared.replaceAfter(producer, failure);
        }
    }

    /** The messages of a topic and the thread that sends them, which uses nothing else of the batch but its events. */
    private final class Topic {
        private final String name;
        private final BlockingQueue<KeyLanes.Request<Message>> queue = new LinkedBlockingQueue<>();
        private final Thread thread;

        Topic(String name) {
            this.name = name;
            this.thread = Thread.ofVirtual().name("kafka-topic-" + name).start(this::sendAll);
        }

        private void sendAll() {
            try {
                Exception failure = lookUp();
                while (true) {
                    KeyLanes.Request<Message> request = queue.take();
                    if (failure == null) {
                        failure = send(request);
                    } else {
                        Exception known = failure;
                        events.add(() -> notTaken(request, known));
                    }
                }
            } catch (InterruptedException | InterruptException e) {
                return; // the batch has ended
            }
        }

        private @Nullable Exception lookUp() {
            try {
                producer.partitionsFor(name);
                return null;
            } catch (InterruptException e) {
                throw e;
            } catch (KafkaException | IllegalStateException e) {
                return e;
            }
        }

        /** Sends a message; returns a failure that the following ones would wait for as well. */
        private @Nullable Exception send(KeyLanes.Request<Message> request) {
            Message message = request.messages().getFirst();
            try {
                int partition = partitions.of(producer, name, message.key());
                var unused = producer.send(
                        message.in(partition), (metadata, failure) -> events.add(() -> answered(request, failure)));
                return null;
            } catch (InterruptException e) {
                throw e;
            } catch (KafkaException | IllegalStateException e) {
                events.add(() -> notTaken(request, e));
                return e instanceof TimeoutException ? e : null;
            }
        }

        /** Sends nothing more. */
        void end() {
            boolean interrupted = false;
            thread.interrupt();
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
