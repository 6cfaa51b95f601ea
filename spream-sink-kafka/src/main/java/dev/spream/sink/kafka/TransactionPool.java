package dev.spream.sink.kafka;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The producers of a worker that publishes in transactions: as many as may be open at the same time, each with an id of its
 * own. Safe for use by many threads.
 */
final class TransactionPool implements AutoCloseable {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private final List<TransactionalProducer> all;
    private final BlockingQueue<TransactionalProducer> free;
    private volatile boolean closed;

    private TransactionPool(List<TransactionalProducer> all) {
        this.all = all;
        this.free = new ArrayBlockingQueue<>(all.size(), true, all);
    }

    /**
     * Opens the producers, which ends open transactions of an earlier process with the same id.
     *
     * @param id the beginning of the transactional ids
     */
    static TransactionPool open(KafkaOptions options, String id, int size, Partitions partitions)
            throws IOException, InterruptedException {
        TransactionPool pool = new TransactionPool(IntStream.range(0, size)
                .mapToObj(i -> new TransactionalProducer(options, "%s-%d".formatted(id, i), partitions))
                .toList());
        try {
            for (TransactionalProducer producer : pool.all) {
                producer.ready();
            }
            return pool;
        } catch (Throwable t) {
            pool.close();
            throw t;
        }
    }

    /** Publishes in a transaction, as soon as a producer is free. */
    void publish(List<TransactionalProducer.Entry> entries) throws Exception {
        TransactionalProducer producer = free.take();
        try {
            if (closed) {
                throw new IOException("the sink is closed; nothing more is published");
            }
            producer.publish(entries);
        } finally {
            free.add(producer);
        }
    }

    /** Begins no further transaction, waits briefly for those in progress, and leaves the rest to their time-out. */
    @Override
    public void close() {
        closed = true;
        boolean interrupted = Thread.interrupted();
        List<TransactionalProducer> idle = new ArrayList<>();
        try {
            long deadline = System.nanoTime() + DRAIN.toNanos();
            TransactionalProducer producer = idle(all.size(), deadline);
            while (producer != null) {
                idle.add(producer);
                producer = idle(all.size() - idle.size(), deadline);
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        all.forEach(TransactionalProducer::discard);
        free.addAll(idle);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a producer without a transaction; null if there is none more, or none in time. */
    private @Nullable TransactionalProducer idle(int left, long deadline) throws InterruptedException {
        return left == 0 ? null : free.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
}
