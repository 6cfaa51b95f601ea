package dev.spream.cli;

import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.servers.PostgresDatabase;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.jdbc.deadletter.JdbcDeadLetterStore;
import dev.spream.storage.jdbc.lock.JdbcLockStore;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import dev.spream.storage.jdbc.outbox.JdbcOutboxStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionOperations;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import dev.spream.testkit.consume.DeadLetters;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;

/**
 * A PostgreSQL database with something for every panel of the page: partitions, dead letters with a parked key, outbox
 * entries in all states, projections that run and that failed, and locks that are held and waited for.
 */
public final class DashboardData implements AutoCloseable {
    public static final String SECRET = "secret";
    /** The keys of items with dead letters: one that is parked, and one that is not. */
    public static final long PARKED = 3;

    public static final long FAILED = 4;

    private static final WorkerId WORKER = new WorkerId("worker-eu-1");
    private static final Duration LEASE = Duration.ofMinutes(30);
    private static final Instant COMMITTED = Instant.parse("2026-01-01T00:00:00Z");

    private final PostgresDatabase database = PostgresDatabase.create();
    private final List<AutoCloseable> open = new ArrayList<>();

    public DashboardData() throws Exception {
        DataSource source = database.source();
        addPartitions(source);
        addDeadLetters(source);
        addOutbox(source);
        addProjections(source);
        addLocks(source);
    }

    public PostgresDatabase database() {
        return database;
    }

    /**
     * Returns the configuration of a dashboard.
     *
     * @param webhook the sink of replays
     */
    public String config(String webhook, String token) {
        return """
                subscription=orders
                source=spanner
                source.spanner.database=projects/p/instances/i/databases/d
                source.spanner.stream=OrdersStream
                source.spanner.emulator-host=localhost:1
                storage=jdbc
                storage.jdbc.url=%1$s
                sink=webhook
                sink.webhook.url=%2$s
                dead-letters=jdbc
                dead-letters.jdbc.url=%1$s
                on-failure=park-key
                retry.max-attempts=1
                outbox=jdbc
                outbox.jdbc.url=%1$s
                projections=jdbc
                projections.jdbc.url=%1$s
                locks=jdbc
                locks.jdbc.url=%1$s
                http=0
                %3$s
                """.formatted(database.jdbcUrl(), webhook, token.isEmpty() ? "" : "http-token=" + token);
    }

    private void addPartitions(DataSource source) {
        JdbcPartitionStorage storage = JdbcPartitionStorage.create(source, "orders");
        open.add(storage);
        Instant start = Instant.now().minusSeconds(1_200);
        storage.openSubscription(new SubscriptionRecord(
                "OrdersStream",
                start,
                Optional.empty(),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
        finish(storage, running(storage, PartitionToken.ROOT.value()), start, List.of("a1", "b1"), List.of());
        finish(storage, running(storage, "a1"), start.plusSeconds(300), List.of("a2", "a3"), List.of("a1"));
        List<String> live = List.of("b1", "a2", "a3");
        long lag = 2;
        for (String token : live) {
            PartitionLease lease = running(storage, token);
            storage.advanceWatermarks(
                    List.of(new WatermarkAdvance(lease, Instant.now().minusSeconds(lag))));
            lag *= 6;
        }
        storage.registerWorker(WORKER, 10, LEASE);
    }

    /** Adds a subscription that was opened, and has neither partitions that are read nor workers. */
    public void addIdleSubscription(String name) {
        JdbcPartitionStorage storage = JdbcPartitionStorage.create(database.source(), name);
        open.add(storage);
        storage.openSubscription(new SubscriptionRecord(
                "OrdersStream",
                Instant.now().minusSeconds(4_000),
                Optional.empty(),
                Duration.ofSeconds(10),
                PartitionMode.IMMUTABLE_KEY_RANGE,
                false));
    }

    private static PartitionLease running(JdbcPartitionStorage storage, String token) {
        PartitionClaim claim = PartitionClaim.of(
                storage.lineage().partition(new PartitionToken(token)).orElseThrow());
        PartitionLease lease = storage.acquire(WORKER, List.of(claim), LEASE).getFirst();
        storage.markRunning(lease);
        return lease;
    }

    private static void finish(
            JdbcPartitionStorage storage,
            PartitionLease lease,
            Instant at,
            List<String> children,
            List<String> parents) {
        storage.addChildren(
                lease,
                new ChildPartitionsRecord(
                        at,
                        "0",
                        children.stream()
                                .map(child -> new ChildPartition(child, parents))
                                .toList()));
        storage.finish(
                lease,
                at,
                PartitionEnd.childPartitions(
                        at, children.stream().map(PartitionToken::new).toList()));
    }

    private void addDeadLetters(DataSource source) throws Exception {
        JdbcDeadLetterStore letters = JdbcDeadLetterStore.create(source, "orders");
        open.add(letters);
        letters.accept(
                DeadLetters.of(Reason.PARKED, change(1, PARKED), new IllegalStateException("the sink said " + SECRET)));
        letters.accept(DeadLetters.of(Reason.BEHIND_PARKED, change(2, PARKED)));
        letters.accept(DeadLetters.of(Reason.FAILED, change(3, FAILED)));
    }

    /** Returns a change that {@link RefusingWebhook} takes. */
    private static DataChangeRecord change(long version, long item) {
        return new DataChangeRecord(
                COMMITTED.plusSeconds(version),
                "0000000" + version,
                "tx" + version,
                true,
                "Items",
                List.of(),
                List.of(new Mod(
                        JsonObject.of("{\"Id\":\"%d\"}".formatted(item)),
                        JsonObject.of("{\"Version\":\"%d\",\"Note\":\"%s\"}".formatted(version, SECRET)),
                        JsonObject.EMPTY)),
                "UPDATE",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }

    /** Adds entries that are pending, being sent, waiting for another attempt, parked, aborted and succeeded. */
    private void addOutbox(DataSource source) throws Exception {
        JdbcOutbox outbox = JdbcOutbox.create(source);
        JdbcOutboxStore store = JdbcOutboxStore.create(source);
        open.add(store);
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 8; i++) {
                outbox.enqueue(
                        connection, OutboxMessage.of("%s-%d".formatted(SECRET, i), "{\"%s\":1}".formatted(SECRET)));
            }
            connection.commit();
        }
        OutboxOwner owner = OutboxOwner.of("sender");
        List<OutboxClaim> claims = store.claim(owner, "", 6, LEASE).claims();
        store.settle(
                owner,
                List.of(
                        new Settlement.Succeeded(claims.get(0).ref(), LedgerResult.succeeded("{}")),
                        new Settlement.Aborted(claims.get(1).ref(), LedgerResult.failed(ReasonCode.REJECTED), SECRET),
                        new Settlement.Parked(claims.get(2).ref(), ReasonCode.OUTCOME_UNKNOWN, SECRET, true),
                        new Settlement.Parked(claims.get(3).ref(), ReasonCode.REJECTED, SECRET, false)));
    }

    private void addProjections(DataSource source) throws Exception {
        JdbcProjectionStore store = JdbcProjectionStore.create(source);
        open.add(store);
        ProjectionOwner owner = ProjectionOwner.of("projector");
        store.register("entries", 4);
        store.register("search", 2);
        SegmentLease lease =
                store.holdSegments("entries", owner, Set.of(), LEASE).held().getFirst();
        BatchCheckpoint progress = new BatchCheckpoint(
                Map.of("word-1", 2L),
                Map.of(SECRET, new ParkDecision(ParkReason.POISON, 1, "no such column", Optional.empty())),
                List.of(event(SECRET, 5), event(SECRET, 6)),
                OptionalLong.of(1_717),
                Optional.of(event("word-1", 2)));
        store.apply(
                new Fence.Segment("entries", owner, lease.segment(), lease.epoch()),
                Set.of("word-1", SECRET),
                (connection, states) -> progress);
        store.report("entries", 3, Optional.of("no such column"));
        SegmentLease search =
                store.holdSegments("search", owner, Set.of(), LEASE).held().getFirst();
        try (JdbcProjectionOperations operations = JdbcProjectionOperations.create(source)) {
            long epoch = operations.show("search").orElseThrow().state().epoch();
            store.fail(
                    new Fence.Segment("search", owner, search.segment(), search.epoch()), epoch, "the index is full");
        }
    }

    private static EventEnvelope event(String key, long version) {
        return new EventEnvelope(
                key + ":" + version, key, "EntryChanged", "{}", version, COMMITTED, EventMetadata.NONE);
    }

    /** Holds locks, and waits for one of them in another transaction. */
    private void addLocks(DataSource source) throws Exception {
        JdbcLockStore store = JdbcLockStore.builder(source).build();
        HierarchicalLocks<Connection> locks = HierarchicalLocks.builder(store)
                .process("importer")
                .label("nightly import")
                .build();
        open.add(store);
        open.add(locks);
        LockHandle held = locks.acquire(LockRequest.exclusive(LockTarget.account("u1", "a1")));
        open.add(held);
        CompletableFuture<LockHandle> waiting = new CompletableFuture<>();
        Thread waiter = Thread.ofVirtual().start(() -> {
            try {
                waiting.complete(locks.acquire(LockRequest.exclusive(LockTarget.user("u1"))));
            } catch (Exception e) {
                waiting.completeExceptionally(e);
            }
        });
        open.add(() -> {
            waiter.interrupt();
            waiter.join();
            if (!waiting.isCompletedExceptionally()) {
                waiting.join().close();
            }
        });
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable part : open.reversed()) {
            part.close();
        }
    }
}
