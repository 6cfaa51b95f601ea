package dev.spream.core.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.testkit.subscription.ScriptedSource;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeldPartitionTest {
    private static final Duration LEASE = Duration.ofSeconds(80);

    private final DrivenTime time = new DrivenTime(ScriptedSource.START);
    private final HeldPartition partition = new HeldPartition(
            new PartitionLease(new PartitionToken("p"), new WorkerId("w"), 1, ScriptedSource.START),
            new InflightTracker("p", 1, ScriptedSource.START),
            LocalLease.requested(time, LEASE));

    @Test
    void a_lease_is_measured_from_before_the_request_that_renewed_it() {
        time.advance(Duration.ofSeconds(50));
        LocalLease renewal = LocalLease.requested(time, LEASE);
        time.advance(Duration.ofSeconds(10));
        partition.renewed(renewal);
        time.advance(Duration.ofSeconds(59));
        assertThat(partition.isHeld()).isTrue();
        time.advance(Duration.ofSeconds(1));
        assertThat(partition.isHeld()).isFalse();
    }

    @Test
    void a_lease_that_was_seen_to_run_out_is_not_revived_by_a_late_renewal() {
        time.advance(LEASE);
        assertThat(partition.isHeld()).isFalse();

        partition.renewed(LocalLease.requested(time, LEASE));

        assertThat(partition.isHeld()).isFalse();
    }
}
