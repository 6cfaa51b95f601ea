package dev.spream.storage.jdbc.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.storage.jdbc.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Many concurrent writers, many of the same keys, some inserting long after their transactions began, some rolling
 * back: readers of the store receive every event, those of a key in order; readers by the commonly advised method, in
 * the same run, do not.
 */
@Tag("proof")
final class EventTailStressIT {
    private static final int WRITERS = 12;
    private static final int SEGMENTS = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** For new connections: the server does not resolve circles of waiting soon enough for this test. */
    private static final String LATE_DEADLOCKS =
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = %L', current_database(), '60s'); END $$";

    private final TestDatabase database = new TestDatabase();
    private final AtomicLong committed = new AtomicLong();
    private final AtomicLong transactions = new AtomicLong();
    private final Latencies latencies = new Latencies();
    private final Deliveries deliveries = new Deliveries();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        database.close();
    }

    @Test
    @Timeout(7_200)
    void nothing_is_lost_and_no_key_inverted_where_others_lose_and_invert() throws Exception {
        losesAndInvertsNothing(Long.getLong("event.stress", 10_000));
    }

    /** Without a limit on the wait for the barrier, each such circle would last for the server's {@code deadlock_timeout}. */
    @Test
    @Timeout(300)
    void writers_that_lock_rows_after_an_insert_do_not_block_readers_for_long() throws Exception {
        database.execute(LATE_DEADLOCKS);
        database.dataSource().getHikariPoolMXBean().softEvictConnections();
        try (JdbcEventStore store = JdbcEventStore.create(database.dataSource());
                EventSource source = store.source()) {
            database.execute(StressWriter.TABLE);
            long begin = System.nanoTime();
            List<Future<?>> writers = write(3_000, true);
            List<Future<?>> readers = read(source, () -> writers.stream().allMatch(Future::isDone));
            await(writers);
            double rate = transactions.get() / ((System.nanoTime() - begin) / 1e9);
            await(readers);
            System.out.printf(
                    "event tail: writers that lock afterwards: %.0f tx/s, insert -> deliver %s%n", rate, latencies);
            assertThat(deliveries.delivered()).as("delivered").isEqualTo(committed.get());
            assertThat(deliveries.inversions()).as("inversions").isZero();
            assertThat(latencies.perMille(1_000)).as("the longest, in ms").isLessThan(30_000);
        }
    }

    private void losesAndInvertsNothing(long target) throws Exception {
        try (JdbcEventStore store = JdbcEventStore.create(database.dataSource());
                EventSource source = store.source()) {
            database.execute(StressWriter.TABLE);
            long begin = System.nanoTime();
            List<Future<?>> writers = write(target, false);
            BooleanSupplier done = () -> writers.stream().allMatch(Future::isDone);
            List<Future<?>> readers = read(source, done);
            NaiveReader naive = new NaiveReader(database.url(), false, done);
            NaiveReader byTransaction = new NaiveReader(database.url(), true, done);
            Future<?> naiveReading = threads.submit(naive);
            Future<?> byTransactionReading = threads.submit(byTransaction);
            await(writers);
            double seconds = (System.nanoTime() - begin) / 1e9;
            await(readers);
            naiveReading.get();
            byTransactionReading.get();

            System.out.printf(
                    "event tail: %d events of %d transactions in %.1f s (%.0f tx/s, %.0f events/s)%n",
                    committed.get(),
                    transactions.get(),
                    seconds,
                    transactions.get() / seconds,
                    committed.get() / seconds);
            print("the store", deliveries);
            System.out.println("  insert -> deliver: " + latencies);
            print("position > last", naive.deliveries());
            print("(xid, position) < xmin", byTransaction.deliveries());

            assertThat(deliveries.delivered()).as("delivered").isEqualTo(committed.get());
            assertThat(deliveries.inversions()).as("inversions").isZero();
            assertThat(deliveries.duplicates()).as("duplicates").isZero();
            assertThat(naive.deliveries().delivered())
                    .as("what the naive reader delivered")
                    .isLessThan(committed.get());
            assertThat(byTransaction.deliveries().inversions())
                    .as("inversions of the reader by transactions")
                    .isPositive();
        }
    }

    private List<Future<?>> write(long target, boolean locksAfterwards) {
        return LongStream.range(0, WRITERS)
                .<Future<?>>mapToObj(seed -> threads.submit(
                        new StressWriter(database.url(), seed, committed, transactions, target, locksAfterwards)))
                .toList();
    }

    private List<Future<?>> read(EventSource source, BooleanSupplier done) {
        List<Future<?>> readers = new ArrayList<>();
        for (int segment : IntStream.range(0, SEGMENTS).toArray()) {
            Callable<Void> reading = () -> {
                readSegment(source, segment, done);
                return null;
            };
            readers.add(threads.submit(reading));
        }
        return readers;
    }

    /** Reads until all readers together have everything, or nothing has come for long. */
    private void readSegment(EventSource source, int segment, BooleanSupplier done) throws InterruptedException {
        long lastCame = System.nanoTime();
        try (EventFeed feed = source.open(new FeedRequest("stress", segment, SEGMENTS, 0))) {
            while (!(done.getAsBoolean() && deliveries.delivered() >= committed.get())
                    && System.nanoTime() - lastCame < TIMEOUT.toNanos()) {
                List<FeedItem> items = feed.poll(500, Duration.ofMillis(100)).items();
                Instant now = Instant.now(Clock.systemUTC());
                for (FeedItem item : items) {
                    deliver((FeedItem.Event) item, now);
                    lastCame = System.nanoTime();
                }
            }
        }
    }

    private void deliver(FeedItem.Event event, Instant now) {
        deliveries.add(event.envelope().aggregateId(), event.envelope().eventVersion());
        latencies.add(event.envelope().occurredAt(), now);
    }

    private void print(String reader, Deliveries of) {
        System.out.printf(
                "  %-24s lost %d, inverted %d of %d%n",
                reader, committed.get() - of.delivered(), of.inversions(), committed.get());
    }

    private static void await(List<Future<?>> ended) throws Exception {
        for (Future<?> one : ended) {
            one.get();
        }
    }
}
