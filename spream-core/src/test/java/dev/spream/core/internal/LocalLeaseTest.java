package dev.spream.core.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

class LocalLeaseTest {
    private static final Duration LEASE = Duration.ofSeconds(8);

    private final TwoClocks time = new TwoClocks();
    private final LocalLease lease = LocalLease.requested(time, LEASE);

    @Test
    void a_lease_is_held_for_seven_eighths_of_its_time() {
        time.pass(Duration.ofSeconds(7).minusNanos(1));
        assertThat(lease.left()).isEqualTo(1);
        assertThat(lease.isHeld()).isTrue();
        time.pass(Duration.ofNanos(1));
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void a_machine_that_was_suspended_has_lost_what_ran_out_meanwhile() {
        time.wall = time.wall.plus(LEASE);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void a_wall_clock_that_is_set_back_prolongs_nothing() {
        time.wall = time.wall.minus(Duration.ofDays(1));
        time.pass(Duration.ofSeconds(7));
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void the_clocks_are_taken_at_the_request_however_they_run_over() {
        time.nanos = Long.MAX_VALUE - 1;
        time.wall = Instant.EPOCH;
        LocalLease across = LocalLease.requested(time, LEASE);
        time.pass(Duration.ofSeconds(1));
        assertThat(across.left()).isEqualTo(Duration.ofSeconds(6).toNanos());
        time.wall = Instant.MAX;
        assertThat(across.isHeld()).isFalse();
    }

    @Test
    void an_ended_lease_is_not_held() {
        assertThat(LocalLease.ended(time).isHeld()).isFalse();
    }

    private static final class TwoClocks implements MonotonicTime {
        private long nanos;
        private Instant wall = Instant.parse("2026-01-01T00:00:00Z");

        void pass(Duration duration) {
            nanos += duration.toNanos();
            wall = wall.plus(duration);
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public Instant instant() {
            return wall;
        }

        @Override
        public long awaitNanos(Condition condition, long nanosLeft) {
            throw new UnsupportedOperationException("nothing waits by this clock");
        }
    }
}
