package dev.spream.sink.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * The one idempotent producer of all batches. Safe for use by many threads.
 *
 * <p>It is kept after a time-out, because its sequence numbers are what keeps a request that arrives late in its place: a
 * partition's leader takes the requests of a producer in their order alone, and after a request that expired the
 * producer raises its epoch, below which the leader takes nothing. A new producer would have another id, and the leader
 * would take an old request after its requests. So it is replaced only when it may be unusable: after a failure that Kafka
 * declares final, such as refused credentials, after one that tells of the producer itself, or when it keeps messages
 * without a time limit, as it does before a broker has given it an id. Closing it decides its requests for this process;
 * one that the network delivers after that is the remaining case in which an old message may follow a newer one.
 */
final class SharedProducer implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final KafkaOptions options;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable Producer<byte[], byte[]> current; // guarded by lock
    private boolean unusable; // guarded by lock
    private boolean closed; // guarded by lock

    private SharedProducer(KafkaOptions options) {
        this.options = options;
    }

    /** @throws IOException if there is no producer with such properties; no broker is called yet */
    static SharedProducer open(KafkaOptions options) throws IOException {
        SharedProducer producer = new SharedProducer(options);
        producer.get();
        return producer;
    }

    KafkaOptions options() {
        return options;
    }

    /** @throws IOException if this is closed */
    Producer<byte[], byte[]> get() throws IOException {
        lock.lock();
        try {
            if (closed) {
                throw new IOException(
                        "the connection to %s is closed; nothing more is published".formatted(options.serverList()));
            }
            Producer<byte[], byte[]> usable = unusable ? null : current;
            if (usable == null) {
                closeCurrent();
                usable = open(options, Optional.empty());
                current = usable;
                unusable = false;
            }
            return usable;
        } finally {
            lock.unlock();
        }
    }

    /** Has the producer replaced before the next batch, unless it was already. */
    void replace(Producer<byte[], byte[]> failed) {
        lock.lock();
        try {
            unusable |= failed.equals(current);
        } finally {
            lock.unlock();
        }
    }

    /** Creates a producer, with classes of the class loader that has Kafka's client. */
    static Producer<byte[], byte[]> open(KafkaOptions options, Optional<String> transactionalId) throws IOException {
        Map<String, Object> properties = options.producer(transactionalId);
        try {
            return new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
        } catch (KafkaException e) {
            throw KafkaFailures.atOpening(options, e);
        }
    }

    private void closeCurrent() {
        if (current == null) {
            return;
        }
        boolean interrupted = Thread.interrupted(); // the client would close at once, and throw
        try {
            current.close(DRAIN);
        } catch (InterruptException e) {
            interrupted = true; // it is closed nevertheless
        } finally {
            current = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Accepts no further messages, waits briefly for those in flight, and abandons the rest. Closing again is harmless. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            closeCurrent();
        } finally {
            lock.unlock();
        }
    }
}
