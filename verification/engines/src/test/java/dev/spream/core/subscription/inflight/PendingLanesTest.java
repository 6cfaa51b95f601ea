package dev.spream.core.subscription.inflight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Records of one partition that follow those of another, key by key. */
class PendingLanesTest {
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final PerKeyQueue source = new PerKeyQueue(() -> {});
    private final PerKeyQueue destination = new PerKeyQueue(wakeUps::incrementAndGet);

    private static InflightRecord enter(PerKeyQueue queue, long sequence, String... keys) {
        InflightRecord record = new InflightRecord(
                sequence, ScriptedSource.newChange(sequence, "A", "tx-" + sequence), Set.of(keys), 1);
        queue.enter(record);
        return record;
    }

    private static List<Long> take(PerKeyQueue queue, int max) {
        return queue.take(max).stream().map(InflightRecord::sequence).toList();
    }

    private static void leave(PerKeyQueue queue, InflightRecord record) {
        queue.leave(record).forEach(PerKeyQueue.Follower::release);
    }

    @Test
    void a_record_follows_the_newest_of_its_key_in_the_source_and_no_other() {
        InflightRecord first = enter(source, 1, "A");
        InflightRecord second = enter(source, 2, "A");
        destination.continueAfter(List.of(source.pending()));
        enter(destination, 1, "A");
        enter(destination, 2, "B");

        assertThat(take(destination, 10)).containsExactly(2L);
        take(source, 1);
        leave(source, first);
        assertThat(destination.ready()).isZero();
        take(source, 1);
        leave(source, second);

        assertThat(wakeUps).hasValue(1);
        assertThat(take(destination, 10)).containsExactly(1L);
    }

    @Test
    void a_record_that_enters_the_source_after_the_departure_is_not_followed() {
        destination.continueAfter(List.of(source.pending()));
        enter(source, 1, "A");
        enter(destination, 1, "A");

        assertThat(take(destination, 1)).containsExactly(1L);
    }

    @Test
    void a_record_that_has_left_the_source_is_not_followed() {
        InflightRecord first = enter(source, 1, "A");
        PendingLanes pending = source.pending();
        take(source, 1);
        leave(source, first);
        destination.continueAfter(List.of(pending));
        enter(destination, 1, "A");

        assertThat(take(destination, 1)).containsExactly(1L);
    }

    /** A departure is kept until a later watermark is stored, which may take long: it keeps no later records alive. */
    @Test
    void a_record_that_has_left_refers_to_none_that_followed_it() {
        InflightRecord first = enter(source, 1, "A");
        enter(source, 2, "A");
        destination.continueAfter(List.of(source.pending()));
        InflightRecord older = enter(source, 3, "B");
        destination.continueAfter(List.of(source.pending()));
        enter(destination, 1, "B");

        for (InflightRecord record : source.take(10)) {
            leave(source, record);
        }

        assertThat(first.followers).isEmpty();
        assertThat(older.others).isEmpty();
    }

    @Test
    void a_batch_takes_no_record_that_follows_one_of_the_source() {
        enter(source, 1, "A");
        destination.continueAfter(List.of(source.pending()));
        enter(destination, 1, "B");
        enter(destination, 2, "A", "B");
        enter(destination, 3, "B", "C");

        assertThat(take(destination, 10)).containsExactly(1L);
    }

    @Test
    void a_record_waits_for_all_keys_and_all_sources() {
        PerKeyQueue another = new PerKeyQueue(() -> {});
        InflightRecord a = enter(source, 1, "A");
        InflightRecord b = enter(another, 1, "B");
        destination.continueAfter(List.of(source.pending(), another.pending()));
        enter(destination, 1, "A", "B");

        take(source, 1);
        leave(source, a);
        assertThat(destination.ready()).isZero();
        take(another, 1);
        leave(another, b);
        assertThat(take(destination, 1)).containsExactly(1L);
    }

    @Test
    void records_that_two_queues_exchange_are_released_without_a_deadlock() throws InterruptedException {
        InflightRecord a = enter(source, 1, "A");
        InflightRecord b = enter(destination, 1, "B");
        PendingLanes ofSource = source.pending();
        PendingLanes ofDestination = destination.pending();
        source.continueAfter(List.of(ofDestination));
        destination.continueAfter(List.of(ofSource));
        take(source, 1);
        take(destination, 1);
        CountDownLatch start = new CountDownLatch(1);
        List<Thread> threads = List.of(
                Thread.ofVirtual()
                        .start(() -> run(start, () -> {
                            enter(source, 2, "B");
                            leave(source, a);
                        })),
                Thread.ofVirtual()
                        .start(() -> run(start, () -> {
                            enter(destination, 2, "A");
                            leave(destination, b);
                        })));
        start.countDown();
        for (Thread thread : threads) {
            assertThat(thread.join(Duration.ofSeconds(30))).isTrue();
        }

        assertThat(take(source, 1)).containsExactly(2L);
        assertThat(take(destination, 1)).containsExactly(2L);
    }

    private static void run(CountDownLatch start, Runnable action) {
        try {
            start.await();
            action.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Threads settle the records of a source while those of its destination enter, in an order drawn from the seed. */
    @Test
    void under_stress_no_record_overtakes_one_of_its_key_and_none_is_left() throws InterruptedException {
        for (long seed = 1; seed <= 50; seed++) {
            stress(seed);
        }
    }

    private static void stress(long seed) throws InterruptedException {
        Random random = new Random(seed);
        Map<String, Integer> latest = new ConcurrentHashMap<>();
        AtomicBoolean overtaken = new AtomicBoolean();
        Semaphore settled = new Semaphore(0);
        PerKeyQueue from = new PerKeyQueue(() -> {});
        PerKeyQueue to = new PerKeyQueue(() -> {});
        int records = 40;
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 2 * records; i++) {
            keys.add("K" + random.nextInt(8));
        }
        for (int i = 0; i < records; i++) {
            enter(from, i + 1, keys.get(i));
        }
        to.continueAfter(List.of(from.pending()));
        for (PerKeyQueue queue : List.of(from, from, to, to)) {
            int offset = queue == from ? 0 : records;
            Thread.ofVirtual().start(() -> {
                while (settled.availablePermits() < 2 * records) {
                    for (InflightRecord record : queue.take(1)) {
                        int place = offset + (int) record.sequence();
                        Integer before = latest.put(keys.get(place - 1), place);
                        if (before != null && before > place) {
                            overtaken.set(true);
                        }
                        leave(queue, record);
                        settled.release();
                    }
                    LockSupport.parkNanos(1); // virtual threads that yield to each other starve one that was blocked
                }
            });
        }
        for (int i = 0; i < records; i++) {
            enter(to, i + 1, keys.get(records + i));
        }

        assertThat(settled.tryAcquire(2 * records, 30, TimeUnit.SECONDS))
                .as("seed %d", seed)
                .isTrue();
        settled.release(2 * records);
        assertThat(overtaken).as("seed %d", seed).isFalse();
    }
}
