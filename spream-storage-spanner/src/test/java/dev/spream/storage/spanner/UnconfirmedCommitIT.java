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
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commits that are slow, or whose answers get lost, before a server that answers everything else. */
@Timeout(120)
final class UnconfirmedCommitIT {
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    private static final WorkerId ANN = new WorkerId("ann");
    private static final PartitionClaim ROOT = new PartitionClaim(PartitionToken.ROOT, 0);

    private static LockingProxy proxy;
    private static MetadataDatabase database;
    private SpannerStorageFixture fixture;
    private PartitionStorage storage;

    @BeforeAll
    static void start() throws IOException {
        proxy = new LockingProxy(SpannerServers.ours().emulatorHost());
        database = MetadataDatabase.of(
                new SpannerServer("our emulator behind lost answers", proxy.host()), Dialect.GOOGLE_STANDARD_SQL);
    }

    @AfterAll
    static void stop() {
        proxy.close();
    }

    @BeforeEach
    void open() {
        fixture = new SpannerStorageFixture(database, Duration.ofSeconds(15));
        storage = fixture.storage();
        storage.openSubscription(new SubscriptionRecord(
                "Orders", START, Optional.empty(), Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
    }

    @AfterEach
    void close() {
        proxy.losesSnapshots = false;
        proxy.commitDelay = Duration.ZERO;
        proxy.delay = Duration.ZERO;
        proxy.unlock(PartitionToken.ROOT.value());
        proxy.unlock("b");
        proxy.losesCommitAnswers = false; // or emptying the tables would wait for one
        fixture.close();
    }

    @Test
    void an_acquire_without_an_answer_knows_what_it_has_and_not_what_another_call_has() {
        proxy.losesCommitAnswers = true;
        List<PartitionLease> acquired = storage.acquire(ANN, List.of(ROOT), LEASE);
        assertThat(acquired)
                .extracting(PartitionLease::token, PartitionLease::epoch)
                .containsExactly(tuple(PartitionToken.ROOT, 1L));

        proxy.losesCommitAnswers = false;
        assertThat(storage.acquire(ANN, List.of(ROOT), LEASE)).isEmpty();
        assertThat(storage.renew(acquired, LEASE)).isEmpty();
    }

    @Test
    void a_row_that_was_locked_is_rolled_back_and_gets_through_where_commits_have_become_slow() {
        PartitionLease lease = storage.acquire(ANN, List.of(ROOT), LEASE).getFirst();
        LockingProxy.Lock locked = proxy.lock(PartitionToken.ROOT.value(), LockingProxy.Held.SHARED);
        assertThatThrownBy(() -> storage.renew(List.of(lease), LEASE)).isInstanceOf(BusyPartitionsException.class);
        assertThat(locked.waits()).isPositive();
        assertThat(proxy.waitingCommits)
                .as("transactions that keep their locks")
                .isEmpty();
        proxy.unlock(PartitionToken.ROOT.value());

        proxy.commitDelay = Duration.ofMillis(300);
        assertThat(isRenewed(lease)).isTrue();
    }

    @Test
    void a_write_gets_through_where_every_answer_takes_long() {
        PartitionLease lease = storage.acquire(ANN, List.of(ROOT), LEASE).getFirst();
        proxy.delay = Duration.ofMillis(400);
        assertThat(isRenewed(lease)).isTrue();
    }

    @Test
    void an_acquire_that_cannot_ask_for_what_is_unconfirmed_keeps_what_is_confirmed() {
        PartitionLease root = storage.acquire(ANN, List.of(ROOT), LEASE).getFirst();
        storage.markRunning(root);
        List<String> parents = List.of(PartitionToken.ROOT.value());
        List<ChildPartition> children = List.of(new ChildPartition("a", parents), new ChildPartition("b", parents));
        storage.addChildren(root, new ChildPartitionsRecord(START, "00000001", children));
        proxy.lock("b", LockingProxy.Held.SHARED);
        proxy.losesSnapshots = true;

        List<PartitionClaim> claims = Stream.of("a", "b")
                .map(child -> new PartitionClaim(new PartitionToken(child), 0))
                .toList();
        assertThat(storage.acquire(ANN, claims, LEASE))
                .extracting(lease -> lease.token().value())
                .containsExactly("a");
    }

    /** Returns whether the lease is renewed in the end. */
    private boolean isRenewed(PartitionLease lease) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < TIMEOUT.toNanos()) {
            try {
                return storage.renew(List.of(lease), LEASE).equals(Set.of());
            } catch (BusyPartitionsException e) {
                assertThat(e.busy()).containsExactly(lease.token());
            }
        }
        return false;
    }
}
