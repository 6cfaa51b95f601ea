package dev.spream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class LatestReadTest {
    private final DrivenClock clock = new DrivenClock();
    private final AtomicInteger reads = new AtomicInteger();

    @Test
    void a_read_is_repeated_after_the_interval_and_after_a_command() throws Exception {
        LatestRead<Integer> read = read(Duration.ZERO);
        assertThat(read.look().value()).contains(1);
        clock.advance(Duration.ofSeconds(4));
        assertThat(read.look().value()).contains(1);
        clock.advance(Duration.ofSeconds(1));
        assertThat(read.look().value()).contains(2);
        read.expire();
        assertThat(read.look().value()).contains(3);
    }

    @Test
    void a_slow_read_is_repeated_later() throws Exception {
        LatestRead<Integer> read = read(Duration.ofSeconds(1));
        assertThat(read.look().value()).contains(1);
        clock.advance(Duration.ofSeconds(18));
        assertThat(read.look().value()).contains(1);
        clock.advance(Duration.ofSeconds(1));
        assertThat(read.look().value()).contains(2);
    }

    @Test
    void a_read_of_any_length_is_repeated_half_a_minute_after_its_end() throws Exception {
        LatestRead<Integer> read = read(Duration.ofSeconds(10));
        assertThat(read.look().value()).contains(1);
        clock.advance(Duration.ofSeconds(29));
        assertThat(read.look().value()).contains(1);
        clock.advance(Duration.ofSeconds(1));
        assertThat(read.look().value()).contains(2);
    }

    @Test
    void a_slow_failed_read_is_repeated_after_the_interval() throws Exception {
        LatestRead<Integer> read = new LatestRead<>(
                "the database",
                () -> {
                    if (reads.incrementAndGet() == 1) {
                        clock.advance(Duration.ofSeconds(30));
                        throw new IllegalStateException("it is away");
                    }
                    return reads.get();
                },
                Duration.ofSeconds(5),
                20,
                clock);
        read.look();
        clock.advance(Duration.ofSeconds(4));
        assertThat(read.look().error().orElseThrow()).contains("it is away");
        clock.advance(Duration.ofSeconds(1));
        assertThat(read.look().value()).contains(2);
    }

    @Test
    void a_failed_read_keeps_the_last_value_and_names_the_reason() throws Exception {
        LatestRead<Integer> read = new LatestRead<>(
                "the database",
                () -> {
                    if (reads.incrementAndGet() == 2) {
                        throw new IllegalStateException("it is away");
                    }
                    return reads.get();
                },
                Duration.ofSeconds(5),
                20,
                clock);
        read.look();
        clock.advance(Duration.ofSeconds(5));
        assertThat(read.look().value()).contains(1);
        assertThat(read.look().error().orElseThrow()).contains("it is away");
        clock.advance(Duration.ofSeconds(5));
        assertThat(read.look().error()).isEmpty();
        assertThat(read.look().value()).contains(3);
    }

    @Test
    void a_hanging_read_is_not_repeated_and_delays_a_look_for_a_short_time() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        LatestRead<Integer> read = new LatestRead<>(
                "the database",
                () -> {
                    release.await();
                    return reads.incrementAndGet();
                },
                Duration.ofSeconds(5),
                20,
                clock);
        try {
            assertThat(read.look().error()).contains("the database has not answered yet");
            clock.advance(Duration.ofMinutes(1));
            assertThat(read.look().value()).isEmpty();
        } finally {
            release.countDown();
        }
        assertThat(read.look().value()).contains(1);
    }

    @Test
    void a_look_after_a_command_waits_for_a_read_that_began_after_it() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        LatestRead<Integer> read = new LatestRead<>(
                "the database",
                () -> {
                    int number = reads.incrementAndGet();
                    reading.countDown();
                    release.await();
                    return number;
                },
                Duration.ofSeconds(5),
                20,
                clock);
        Thread before = Thread.ofVirtual().start(() -> {
            try {
                read.look();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        reading.await();
        read.expire();
        Thread.ofVirtual().start(() -> {
            LockSupport.parkNanos(100_000_000);
            release.countDown();
        });
        assertThat(read.look().value()).contains(2);
        before.join();
    }

    private LatestRead<Integer> read(Duration takes) {
        return new LatestRead<>(
                "the database",
                () -> {
                    clock.advance(takes);
                    return reads.incrementAndGet();
                },
                Duration.ofSeconds(5),
                20,
                clock);
    }
}
