package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the log lines about parked aggregates. */
final class ParkedLogTest {
    private static final String NAME = "parked-log-test";
    private static final ParkDecision POISON = new ParkDecision(ParkReason.POISON, 4, "no such item", Optional.empty());
    private static final ParkDecision AGAIN =
            new ParkDecision(ParkReason.TRANSIENT, 1, "deadlock", Optional.of(Duration.ofSeconds(1)));

    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
    private final ParkedLog log = new ParkedLog(NAME, new MonotonicTime() {
        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public Instant instant() {
            return Instant.EPOCH;
        }

        @Override
        public long awaitNanos(Condition condition, long nanos) {
            throw new UnsupportedOperationException("no wait is expected");
        }
    });
    private final LogLines lines = new LogLines(ParkedLog.class);

    @AfterEach
    void close() {
        lines.close();
    }

    @Test
    void an_aggregate_that_waits_for_an_operator_is_a_warning_with_the_command() {
        log.parked("word\n7", 3, POISON);
        log.stays("word-8", 5, POISON);
        assertThat(lines.of(Level.WARN, NAME)).hasSize(2);
        assertThat(lines.of(Level.WARN, NAME).getFirst())
                .contains("'word?7'", "version 3", "POISON", "no such item", "'projection show'");
    }

    @Test
    void retried_and_resumed_aggregates_are_logged_once() {
        log.parked("word-7", 3, AGAIN);
        log.stays("word-7", 3, AGAIN);
        log.resumed("word-7", 9);
        assertThat(lines.of(Level.WARN, NAME)).isEmpty();
        assertThat(lines.of(Level.INFO, NAME)).hasSize(2);
        assertThat(lines.of(Level.INFO, NAME).getLast()).contains("'word-7'", "version 9");
    }

    @Test
    void thousands_of_them_are_ten_lines_a_minute_and_a_count() {
        for (int i = 0; i < 3_000; i++) {
            log.parked("word-" + i, 1, POISON);
        }
        log.summarize();
        assertThat(lines.of(Level.WARN, NAME)).hasSize(10);
        log.resumed("word-1", 1);
        assertThat(lines.of(Level.INFO, NAME))
                .as("kinds do not displace each other")
                .hasSize(1);
        now.addAndGet(TimeUnit.MINUTES.toNanos(1));
        log.summarize();
        log.summarize();
        assertThat(lines.of(Level.WARN, NAME)).hasSize(11);
        assertThat(lines.of(Level.WARN, NAME).getLast()).contains("2990 more aggregates", "'projection show'");
        log.parked("word-1", 1, POISON);
        assertThat(lines.of(Level.WARN, NAME).getLast()).contains("'word-1'");
    }

    @Test
    void omitted_lines_are_counted_at_the_end() {
        for (int i = 0; i < 12; i++) {
            log.parked("word-" + i, 1, AGAIN);
        }
        log.end();
        assertThat(lines.of(Level.INFO, NAME).getLast()).contains("2 more aggregates");
    }
}
