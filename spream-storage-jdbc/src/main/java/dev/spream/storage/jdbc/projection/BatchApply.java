package dev.spream.storage.jdbc.projection;

import dev.spream.core.StorageException;
import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ProjectionStore.Work;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.storage.jdbc.projection.internal.EventColumns;
import dev.spream.storage.jdbc.projection.internal.Fences;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransactionGuard;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import dev.spream.storage.jdbc.projection.internal.StoredKeys;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Applies batches. In addition to the statements of the projection, a batch takes two round trips: one checks the fence and
 * reads the keys, one writes the checkpoint and commits. A segment's batch with parked keys takes a third; a version that is
 * not live takes two more, of which one checks that the version has its own tables, and one commits.
 */
record BatchApply(ProjectionDatabase database, StateTable states) {
    static final String WRITE_CHECKPOINT = """
            UPDATE @projection_segments SET dealt = dealt + ?,
                position = coalesce(?::bigint, position),
                last_event_id = coalesce(?, last_event_id), last_event_at = coalesce(?::timestamptz, last_event_at)
            WHERE projection = ? AND segment = ?""";

    boolean apply(Fence fence, Set<String> keys, Work<Connection> work) throws Exception {
        String what = "applying a batch of %d aggregates of projection '%s'".formatted(keys.size(), fence.projection());
        Optional<BatchCheckpoint> progress =
                database.inHandedTransaction(what, transaction -> apply(transaction, fence, keys, work));
        progress.ifPresent(committed -> remember(fence, committed));
        return progress.isPresent();
    }

    private Optional<BatchCheckpoint> apply(
            ProjectionTransaction transaction, Fence fence, Set<String> keys, Work<Connection> work)
            throws SQLException, ProjectionTransactionGuard.Failure {
        Map<String, String> idByKey = StoredKeys.byStored(keys);
        StatementBatch trip = transaction.first();
        List<Boolean> held = Fences.ask(trip, database.schema(), fence);
        VersionSearchPath own = VersionSearchPath.enter(trip, database.schema(), fence);
        List<KeyTable.Row> found =
                switch (fence) {
                    case Fence.Segment segment -> {
                        Fences.awaitOthers(trip, database.schema(), segment);
                        yield KeyTable.read(trip, fence.projection(), idByKey.keySet());
                    }
                    case Fence.Whole whole -> KeyTable.lockAll(trip, fence.projection(), idByKey.keySet());
                };
        trip.run();
        if (held.isEmpty()) {
            transaction.rollback();
            return Optional.empty();
        }
        own.begin(transaction);
        List<KeyTable.Row> rows =
                switch (fence) {
                    case Fence.Segment segment -> KeyTable.lockParked(transaction, fence.projection(), found);
                    case Fence.Whole whole -> found;
                };
        Map<String, AggregateState> before = states(idByKey, rows);
        BatchCheckpoint progress =
                ProjectionTransactionGuard.run(transaction, connection -> work.apply(connection, before));
        check(fence, before, progress);
        checkLimit(fence, progress, own.limit());
        write(transaction, fence, own, rows, before, progress);
        return Optional.of(progress);
    }

    private static Map<String, AggregateState> states(Map<String, String> idByKey, List<KeyTable.Row> rows) {
        Map<String, AggregateState> states = new TreeMap<>();
        idByKey.values().forEach(id -> states.put(id, AggregateState.NEW));
        rows.forEach(row -> states.put(idByKey.getOrDefault(row.key(), row.key()), row.state()));
        return Collections.unmodifiableMap(states);
    }

    /** Rejects a checkpoint that would lose events. */
    private static void check(Fence fence, Map<String, AggregateState> before, BatchCheckpoint progress) {
        Set<String> setAside = new HashSet<>();
        progress.setAside().forEach(event -> setAside.add(event.aggregateId()));
        boolean known = before.keySet().containsAll(progress.versions().keySet())
                && before.keySet().containsAll(progress.parked().keySet())
                && before.keySet().containsAll(setAside);
        if (!known
                || !setAside.stream().allMatch(id -> isParked(before, progress, id))
                || !progress.parked().keySet().stream()
                        .allMatch(
                                id -> setAside.contains(id) || state(before, id).parked())) {
            throw new IllegalArgumentException(
                    ("the checkpoint of projection '%s' has aggregates that are not in the batch, "
                                    + "waiting events without a parked aggregate, or a parked aggregate without waiting events; nothing was changed")
                            .formatted(fence.projection()));
        }
    }

    /**
     * Rejects a checkpoint beyond the live version's position, which does not move back while this transaction holds
     * the lock of the candidate.
     */
    private static void checkLimit(Fence fence, BatchCheckpoint progress, Optional<Long> limit) {
        if (limit.isPresent() && progress.position().orElse(0) > limit.get()) {
            throw new StorageException(
                    "bringing segment %d of '%s' to position %d failed: the live version is at %d, which other versions must not pass; nothing was changed"
                            .formatted(
                                    Fences.segment(fence),
                                    fence.projection(),
                                    progress.position().orElse(0),
                                    limit.get()),
                    true,
                    null);
        }
    }

    private static boolean isParked(Map<String, AggregateState> before, BatchCheckpoint progress, String id) {
        return progress.parked().containsKey(id) || state(before, id).parked();
    }

    private static AggregateState state(Map<String, AggregateState> before, String id) {
        return before.getOrDefault(id, AggregateState.NEW);
    }

    private static void write(
            ProjectionTransaction transaction,
            Fence fence,
            VersionSearchPath own,
            List<KeyTable.Row> rows,
            Map<String, AggregateState> before,
            BatchCheckpoint progress)
            throws SQLException {
        StatementBatch trip = transaction.next();
        own.watch(trip);
        KeyTable.write(trip, fence.projection(), rows, after(before, progress));
        ParkedAggregateTable.park(trip, fence, progress.parked());
        ParkedAggregateTable.park(trip, fence.projection(), progress.setAside());
        if (fence instanceof Fence.Segment held
                && (progress.position().isPresent() || progress.last().isPresent() || progress.dealt() > 0)) {
            writeCheckpoint(trip, held, progress);
        }
        if (own.limit().isEmpty()) {
            ProjectionTransactionGuard.leaveAndCommit(trip);
        } else {
            ProjectionTransactionGuard.leave(trip);
            own.requireApart();
        }
    }

    private static Map<String, AggregateState> after(Map<String, AggregateState> before, BatchCheckpoint progress) {
        Map<String, AggregateState> after = new HashMap<>();
        progress.versions()
                .forEach((id, version) -> after.put(id, new AggregateState(version, isParked(before, progress, id))));
        for (Map.Entry<String, ParkDecision> parked : progress.parked().entrySet()) {
            String id = parked.getKey();
            long version =
                    progress.versions().getOrDefault(id, state(before, id).lastVersion());
            after.put(id, new AggregateState(version, true));
        }
        return after;
    }

    /** Writes the checkpoint; the epoch is that of the fence, whose row has been locked since. */
    private static void writeCheckpoint(StatementBatch trip, Fence.Segment held, BatchCheckpoint progress) {
        trip.update(
                WRITE_CHECKPOINT,
                p -> p.number(progress.dealt())
                        .optionalText(position(progress))
                        .optionalText(progress.last().map(EventEnvelope::eventId))
                        .optionalText(progress.last()
                                .map(event ->
                                        EventColumns.clock(event.occurredAt()).toString()))
                        .text(held.projection())
                        .number(held.segment()));
    }

    private static Optional<String> position(BatchCheckpoint progress) {
        return progress.position().isPresent()
                ? Optional.of(Long.toString(progress.position().getAsLong()))
                : Optional.empty();
    }

    private void remember(Fence fence, BatchCheckpoint progress) {
        if (fence instanceof Fence.Whole) {
            progress.last().ifPresent(event -> states.recordProcessed(fence.projection(), event));
        }
    }
}
