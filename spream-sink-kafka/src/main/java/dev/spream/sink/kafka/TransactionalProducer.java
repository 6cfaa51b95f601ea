package dev.spream.sink.kafka;

import dev.spream.core.record.RecordIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages in transactions of one transactional id, one at a time. Confined to the thread that took it from
 * the {@link TransactionPool}.
 *
 * <p>After a failure that leaves the outcome of a transaction open the producer is closed, and before the next transaction
 * a new one of the same id is opened: then Kafka ends what was open, and refuses what the old one still sends. Messages of
 * the failed transaction are at earlier offsets than those of their retry, and consumers of committed messages read
 * neither before it is decided; so the retry repeats them, in order, or is alone.
 */
final class TransactionalProducer {
    private final KafkaOptions options;
    private final String id;
    private final Partitions partitions;
    private final KafkaFailures failures;
    private volatile @Nullable Producer<byte[], byte[]> producer; // closed by any thread

    TransactionalProducer(KafkaOptions options, String id, Partitions partitions) {
        this.options = options;
        this.id = id;
        this.partitions = partitions;
        this.failures = new KafkaFailures(options);
    }

    /** A message of a change. */
    record Entry(RecordIdentity change, Message message) {}

    private record Refusal(Entry entry, Exception failure) {}

    /**
     * Publishes the messages in one transaction: all of them, or none.
     *
     * @throws dev.spream.api.spi.NonRetryableException if Kafka refuses a message for good
     * @throws IOException if the transaction failed otherwise, or its outcome is unknown
     */
    void publish(List<Entry> entries) throws Exception {
        Producer<byte[], byte[]> ready = ready();
        AtomicReference<@Nullable Refusal> refused = new AtomicReference<>();
        try {
            ready.beginTransaction();
            for (Entry entry : entries) {
                Message message = entry.message();
                int partition = partitions.of(ready, message.topic(), message.key());
                var unused = ready.send(message.in(partition), (metadata, failure) -> {
                    if (failure != null) {
                        refused.compareAndSet(null, new Refusal(entry, failure));
                    }
                });
            }
            ready.commitTransaction();
        } catch (InterruptException e) {
            discard();
            Thread.interrupted(); // which the client has set again
            throw new InterruptedException("interrupted in a transaction, which may have been committed or not");
        } catch (KafkaException | IllegalStateException e) {
            Refusal refusal = refused.get();
            abort(ready, refusal == null ? e : refusal.failure());
            throw refusal == null
                    ? notCommitted(entries, e)
                    : failures.of(refusal.entry().change(), refusal.entry().message(), refusal.failure());
        }
    }

    /** Opens the producer, unless it is open. */
    Producer<byte[], byte[]> ready() throws IOException, InterruptedException {
        Producer<byte[], byte[]> known = producer;
        if (known != null) {
            return known;
        }
        Producer<byte[], byte[]> opened = SharedProducer.open(options, Optional.of(id));
        producer = opened;
        try {
            opened.initTransactions();
            return opened;
        } catch (InterruptException e) {
            discard();
            Thread.interrupted();
            throw new InterruptedException("interrupted while transactions were prepared");
        } catch (KafkaException | IllegalStateException e) {
            discard();
            throw new IOException(
                    "no transaction of %s can be begun: %s%s"
                            .formatted(id, failures.what(e), failures.advice(Optional.empty(), e)),
                    e);
        }
    }

    /** Aborts the transaction if no message of it can be on its way, otherwise leaves that to the next producer. */
    private void abort(Producer<byte[], byte[]> failed, Exception failure) {
        if (KafkaFailures.isFinalForProducer(failure)) {
            discard();
            return;
        }
        try {
            failed.abortTransaction();
        } catch (KafkaException | IllegalStateException e) {
            failure.addSuppressed(e);
            discard();
        }
    }

    private IOException notCommitted(List<Entry> entries, Exception failure) {
        return new IOException(
                "the transaction of the changes from %s to %s is not known to be committed: %s%s; they are published again"
                        .formatted(
                                entries.getFirst().change(),
                                entries.getLast().change(),
                                failures.what(failure),
                                failures.advice(
                                        Optional.of(entries.getFirst().message().topic()), failure)),
                failure);
    }

    /** Closes the producer at once; its transaction is ended by the next one of its id, or by its time-out. */
    void discard() {
        Producer<byte[], byte[]> open = producer;
        producer = null;
        if (open == null) {
            return;
        }
        boolean interrupted = Thread.interrupted(); // closing would throw
        try {
            open.close(Duration.ZERO);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
