package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.partition.BusyPartitionsException;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerId;
import dev.spream.emulator.SpannerServer;
import dev.spream.emulator.SpannerServers;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commits that are slow, or whose answers get lost, before a server that answers everything else. */
@Timeout(60)
final class UnconfirmedCommitIT {
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final WorkerId ANN = new WorkerId("ann");
    private static final PartitionClaim ROOT = new PartitionClaim(PartitionToken.ROOT, 0);

    private LockingProxy proxy;
    private SpannerStorageFixture fixture;
    private PartitionStorage storage;

    @BeforeEach
    void open() throws IOException {
        proxy = new LockingProxy(SpannerServers.ours().emulatorHost());
        MetadataDatabase database = MetadataDatabase.of(
                new SpannerServer("our emulator behind " + proxy.host(), proxy.host()), Dialect.GOOGLE_STANDARD_SQL);
        fixture = new SpannerStorageFixture(database, Duration.ofSeconds(3));
        storage = fixture.storage();
        storage.open(new SubscriptionRecord(
                "Orders",
                Instant.parse("2026-03-01T10:00:00Z"),
                Optional.empty(),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
    }

    @AfterEach
    void close() {
        proxy.losesCommitAnswers = false; // or emptying the tables would wait for one
        fixture.close();
        proxy.close();
    }

    @Test
    void an_acquire_without_an_answer_knows_what_it_has_and_not_what_another_call_has() {
        proxy.losesCommitAnswers = true;
        List<PartitionLease> acquired = storage.acquire(ANN, List.of(ROOT), LEASE);
        assertThat(acquired)
                .extracting(PartitionLease::token, PartitionLease::epoch)
                .containsExactly(tuple(PartitionToken.ROOT, 1L));
        assertThat(storage.acquire(ANN, List.of(ROOT), LEASE)).isEmpty();

        proxy.losesCommitAnswers = false;
        assertThat(storage.renew(acquired, LEASE)).isEmpty();
    }

    @Test
    void a_row_that_was_locked_gets_through_where_commits_have_become_slow() {
        PartitionLease lease = storage.acquire(ANN, List.of(ROOT), LEASE).getFirst();
        proxy.lock(PartitionToken.ROOT.value(), LockingProxy.Held.SHARED);
        assertThatThrownBy(() -> storage.renew(List.of(lease), LEASE)).isInstanceOf(BusyPartitionsException.class);
        proxy.unlock(PartitionToken.ROOT.value());

        proxy.commitDelay = Duration.ofMillis(400);
        assertThat(renewed(lease, 4)).isTrue();
    }

    private boolean renewed(PartitionLease lease, int attempts) {
        for (int attempt = 0; attempt < attempts; attempt++) {
            try {
                return storage.renew(List.of(lease), LEASE).equals(Set.of());
            } catch (BusyPartitionsException e) {
                assertThat(e.busy()).containsExactly(lease.token());
            }
        }
        return false;
    }
}
