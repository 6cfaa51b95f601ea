package dev.spream.core.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HeldPartitionTest {
    private static final Duration LEASE = Duration.ofNanos(100);

    private final AtomicLong nanoTime = new AtomicLong();
    private final HeldPartition partition = new HeldPartition(
            new PartitionLease(new PartitionToken("p"), new WorkerId("w"), 1, ScriptedSource.START),
            new InflightTracker("p", 1, ScriptedSource.START),
            nanoTime::get,
            0,
            LEASE);

    @Test
    void a_lease_is_measured_from_before_the_request_that_renewed_it() {
        nanoTime.set(90);
        partition.renewed(50, LEASE);
        nanoTime.set(149);
        assertThat(partition.isHeld()).isTrue();
        nanoTime.set(150);
        assertThat(partition.isHeld()).isFalse();
    }

    @Test
    void a_lease_is_held_for_less_than_it_was_granted_because_clocks_drift() {
        partition.renewed(0, Duration.ofSeconds(10));
        nanoTime.set(Duration.ofMillis(9_980).toNanos() - 1);
        assertThat(partition.isHeld()).isTrue();
        nanoTime.set(Duration.ofMillis(9_980).toNanos());
        assertThat(partition.isHeld()).isFalse();
    }

    @Test
    void a_lease_that_was_seen_to_run_out_is_not_revived_by_a_late_renewal() {
        nanoTime.set(100);
        assertThat(partition.isHeld()).isFalse();

        partition.renewed(100, LEASE);

        assertThat(partition.isHeld()).isFalse();
    }
}
