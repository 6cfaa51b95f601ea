package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.START;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.spream.core.internal.LocalLease;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.inflight.InflightTracker;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A lease that the storage does not know any more is lost, unless that is this worker's own doing. */
class LeaseKeeperTest {
    private static final WorkerId WORKER = new WorkerId("w");

    private final DrivenTime time = new DrivenTime(START);
    private boolean away;
    private final PartitionStorage storage = new FaultyStorage(
                    new InMemoryPartitionStorage(time),
                    true,
                    (call, method) -> away && method.equals("renew")
                            ? FaultyStorage.Verdict.FAIL_BEFORE
                            : FaultyStorage.Verdict.PASS)
            .storage();
    private final SubscriberOptions options =
            SubscriberOptions.builder().worker(WORKER).build();
    private final HeldPartition partition = acquireRoot();
    private final LeaseKeeper leases =
            new LeaseKeeper(context(), new Membership(context(), false), () -> List.of(partition));

    @Test
    void a_lease_that_is_gone_is_lost() {
        storage.release(List.of(partition.lease()));

        leases.renew();

        assertThat(partition.state()).isEqualTo(HeldPartition.State.LOST);
    }

    @Test
    void a_lease_that_is_gone_because_the_partition_is_being_given_back_is_not_lost() {
        partition.leaving();
        storage.release(List.of(partition.lease()));

        leases.renew();

        assertThat(partition.state()).isNotEqualTo(HeldPartition.State.LOST);
        assertThat(partition.isHeld()).isTrue();
    }

    @Test
    void a_lease_that_ran_out_here_is_not_renewed_for_others_to_wait_for() {
        time.advance(options.leaseTime());

        leases.renew();

        assertThat(partition.state()).isEqualTo(HeldPartition.State.LOST);
        assertThat(storage.frontier().claimable()).hasSize(1);
    }

    @Test
    void a_partition_that_was_given_back_is_neither_renewed_nor_lost() {
        storage.release(List.of(partition.lease()));
        partition.leaving();
        partition.released();
        time.advance(options.leaseTime());

        leases.renew();

        assertThat(partition.isHeld()).isFalse();
        assertThat(partition.state()).isNotEqualTo(HeldPartition.State.LOST);
    }

    @Test
    void renewals_that_fail_are_said_once_and_so_is_that_they_work_again() {
        try (LogLines lines = new LogLines(RetryingStorageCalls.class)) {
            away = true;
            leases.renew();
            leases.renew();
            away = false;
            leases.renew();

            List<String> said = lines.all(Level.WARN);
            assertThat(said).hasSize(2);
            assertThat(said.getFirst())
                    .startsWith("partition storage: renewing the leases failed: scripted failure")
                    .endsWith("retrying until they expire; recovery will be logged");
            assertThat(said.getLast())
                    .isEqualTo("partition storage: renewing the leases succeeded, after 2 attempts that failed");
        }
    }

    @Test
    void renewals_that_fail_until_the_leases_have_run_out_are_not_said_to_work_again() {
        try (LogLines lines = new LogLines(RetryingStorageCalls.class)) {
            away = true;
            leases.renew();
            time.advance(options.leaseTime());
            leases.renew();
            leases.renew();

            assertThat(lines.all(Level.WARN))
                    .hasSize(2)
                    .endsWith(
                            "partition storage: renewing the leases is no longer retried, after 1 attempt that failed");
        }
    }

    private HeldPartition acquireRoot() {
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
        List<PartitionClaim> claims =
                storage.lineage().claimable().stream().map(PartitionClaim::of).toList();
        PartitionLease lease =
                storage.acquire(WORKER, claims, options.leaseTime()).getFirst();
        storage.markRunning(lease);
        return new HeldPartition(
                lease, new InflightTracker("p", 1, START), LocalLease.requested(time, options.leaseTime()));
    }

    private EngineContext context() {
        return EngineContext.of(new ScriptedSource(), storage, options, time, new Random(1), true);
    }
}
