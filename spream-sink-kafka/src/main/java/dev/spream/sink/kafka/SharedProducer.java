package dev.spream.sink.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
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
 * declares final, after one that tells of the producer itself, or when it keeps messages without a time limit, as it does
 * before a broker has given it an id. Refused credentials are final only before that.
 *
 * <p>One that had an id may have a request on its way when it is replaced. So the next one begins only after the time of a
 * message and of a request; what the network holds for longer than that may still follow newer messages.
 */
final class SharedProducer implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final KafkaOptions options;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable Producer<byte[], byte[]> current; // guarded by lock, like all below
    private boolean unusable;
    private boolean published; // whether the current one has an id, since a message of it was confirmed
    private long quietUntil = System.nanoTime();
    private boolean closed;

    private SharedProducer(KafkaOptions options) {
        this.options = options;
    }

    /** @throws IOException if there is no producer with such properties; no broker is called yet */
    static SharedProducer open(KafkaOptions options) throws IOException {
        SharedProducer producer = new SharedProducer(options);
        producer.getNow();
        return producer;
    }

    KafkaOptions options() {
        return options;
    }

    /**
     * Returns the producer, after the time in which requests of the one before it may arrive.
     *
     * @throws IOException if this is closed
     */
    Producer<byte[], byte[]> get() throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            closeUnusable();
            long left = quietUntil - System.nanoTime();
            while (left > 0 && !closed) {
                left = changed.awaitNanos(left);
            }
            return getNow();
        } finally {
            lock.unlock();
        }
    }

    /** @throws IOException if this is closed, or requests of the producer before may still arrive */
    Producer<byte[], byte[]> getNow() throws IOException {
        lock.lock();
        try {
            if (closed) {
                throw new IOException(
                        "the connection to %s is closed; nothing more is published".formatted(options.serverList()));
            }
            closeUnusable();
            long left = quietUntil - System.nanoTime();
            if (left > 0) {
                throw new IOException(
                        "the producer for %s was replaced, and requests of it may still arrive for %d ms; nothing is published before"
                                .formatted(options.serverList(), TimeUnit.NANOSECONDS.toMillis(left)));
            }
            Producer<byte[], byte[]> usable = current;
            if (usable == null) {
                usable = open(options, Optional.empty());
                current = usable;
            }
            return usable;
        } finally {
            lock.unlock();
        }
    }

    private void closeUnusable() {
        if (unusable) {
            closeCurrent();
            if (published) {
                quietUntil = System.nanoTime() + options.lateFor().toNanos();
            }
            unusable = false;
            published = false;
        }
    }

    /** Notes that a message of the producer was confirmed: it has an id. */
    void confirmed(Producer<byte[], byte[]> confirming) {
        lock.lock();
        try {
            published |= confirming.equals(current);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has the producer replaced before the next batch after a failure that is final for it. Refused credentials are not,
     * once it has an id: it logs in anew with its next connection. If it is broken nevertheless, it throws something else
     * with the next message.
     */
    void replaceAfter(Producer<byte[], byte[]> failed, Throwable failure) {
        lock.lock();
        try {
            if (!(published && failure instanceof AuthenticationException)) {
                replace(failed);
            }
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
            current.close(drain());
        } catch (InterruptException e) {
            interrupted = true; // it is closed nevertheless
        } finally {
            current = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Every message in flight is decided within the time limit of one. */
    private Duration drain() {
        return DRAIN.compareTo(options.publishTimeout()) < 0 ? DRAIN : options.publishTimeout();
    }

    /** Accepts no further messages, waits briefly for those in flight, and abandons the rest. Closing again is harmless. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            closeCurrent();
        } finally {
            lock.unlock();
        }
    }
}
