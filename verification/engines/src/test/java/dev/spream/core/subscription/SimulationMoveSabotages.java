package dev.spream.core.subscription;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.subscription.SimulationSabotages.SpoiledConsumer;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** Ways to break the order of keys that come from other partitions, one at a time. */
final class SimulationMoveSabotages {
    private static final String AT = "@";

    private SimulationMoveSabotages() {}

    private abstract static class Moving implements SimulationSabotage {
        @Override
        public Optional<PartitionMode> mode() {
            return Optional.of(PartitionMode.MUTABLE_KEY_RANGE);
        }
    }

    /** Spoils each row that a cursor of a partition returns. */
    private static ChangeStreamSource rows(
            ChangeStreamSource source, BiFunction<PartitionToken, ChangeRecord, ChangeRecord> spoiler) {
        return SimulationSabotages.spoil(ChangeStreamSource.class, source, "query", (target, arguments) -> {
            PartitionQuery query = (PartitionQuery) arguments[0];
            return SimulationSabotages.spoil(
                    ChangeStreamCursor.class,
                    target.query(query),
                    "next",
                    (cursor, none) -> cursor.next().map(row -> spoiler.apply(query.token(), row)));
        });
    }

    /** Events are read, and no move-in is waited for. */
    static SimulationSabotage waitDropped() {
        return new Moving() {
            @Override
            public ChangeStreamSource source(ChangeStreamSource source) {
                return rows(source, (token, row) -> withoutMoveIn(row));
            }
        };
    }

    private static ChangeRecord withoutMoveIn(ChangeRecord row) {
        return row instanceof PartitionEventRecord event
                ? new PartitionEventRecord(
                        event.commitTimestamp(),
                        event.recordSequence(),
                        event.partitionToken(),
                        List.of(),
                        event.moveOutDestinations())
                : row;
    }

    /** Events are not read. */
    static SimulationSabotage eventsIgnored() {
        return new Moving() {
            @Override
            public ChangeStreamSource source(ChangeStreamSource source) {
                return SimulationSabotages.spoil(
                        ChangeStreamSource.class,
                        source,
                        "query",
                        (target, arguments) -> SimulationSabotages.spoil(
                                ChangeStreamCursor.class,
                                target.query((PartitionQuery) arguments[0]),
                                "next",
                                (cursor, none) -> nextBesidesEvents(cursor)));
            }
        };
    }

    private static Optional<ChangeRecord> nextBesidesEvents(ChangeStreamCursor cursor) throws InterruptedException {
        Optional<ChangeRecord> row = cursor.next();
        while (row.filter(PartitionEventRecord.class::isInstance).isPresent()) {
            row = cursor.next();
        }
        return row;
    }

    /** A source that is settled up to the timestamp of its move-out seems to have passed it. */
    static SimulationSabotage waitForTimestamp() {
        return new Moving() {
            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return SimulationSabotages.spoilFrontier(storage, frontier -> {
                    List<PartitionToken> all = frontier.partitions().stream()
                            .map(PartitionMetadata::token)
                            .toList();
                    return Lineage.of(
                            frontier.partitions().stream()
                                    .map(stored -> movedOut(stored, all))
                                    .toList(),
                            frontier.readAt());
                });
            }
        };
    }

    private static PartitionMetadata movedOut(PartitionMetadata stored, List<PartitionToken> destinations) {
        return new PartitionMetadata(
                stored.token(),
                stored.parentTokens(),
                stored.startTimestamp(),
                stored.state(),
                stored.watermark(),
                stored.epoch(),
                stored.owner(),
                stored.leaseUntil(),
                stored.leaseLive(),
                stored.endProof(),
                stored.createdAt(),
                stored.scheduledAt(),
                stored.runningAt(),
                stored.finishedAt(),
                stored.gaps(),
                stored.moveIn(),
                Optional.of(new MoveOuts("", destinations)));
    }

    /** A query after the first one of a partition starts a nanosecond late. */
    static SimulationSabotage exclusiveWindows() {
        return new Moving() {
            @Override
            public ChangeStreamSource source(ChangeStreamSource source) {
                Set<PartitionToken> queried = new HashSet<>();
                return SimulationSabotages.spoil(ChangeStreamSource.class, source, "query", (target, arguments) -> {
                    PartitionQuery query = (PartitionQuery) arguments[0];
                    boolean late = !queried.add(query.token())
                            && query.endTimestamp()
                                    .filter(query.startTimestamp()::isBefore)
                                    .isPresent();
                    return target.query(
                            late
                                    ? new PartitionQuery(
                                            query.token(),
                                            query.startTimestamp().plusNanos(1),
                                            query.endTimestamp(),
                                            query.heartbeatInterval(),
                                            query.prefetchBytes())
                                    : query);
                });
            }
        };
    }

    /** Watermarks are stored without move-outs. */
    static SimulationSabotage moveOutsNotStored() {
        return new Moving() {
            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return SimulationSabotages.spoil(
                        PartitionStorage.class,
                        storage,
                        "advanceWatermarks",
                        (target, arguments) -> target.advanceWatermarks(((Collection<?>) arguments[0])
                                .stream()
                                        .map(WatermarkAdvance.class::cast)
                                        .map(advance -> new WatermarkAdvance(advance.lease(), advance.watermark()))
                                        .toList()));
            }
        };
    }

    /** The next reader of a partition does not learn which move-outs are settled. */
    static SimulationSabotage moveOutsNotResumed() {
        return new Moving() {
            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return SimulationSabotages.spoil(
                        PartitionStorage.class,
                        storage,
                        "acquire",
                        (target, arguments) -> target
                                .acquire(
                                        (WorkerId) arguments[0],
                                        ((Collection<?>) arguments[1])
                                                .stream()
                                                        .map(PartitionClaim.class::cast)
                                                        .toList(),
                                        (Duration) arguments[2])
                                .stream()
                                .map(lease -> new PartitionLease(
                                        lease.token(), lease.owner(), lease.epoch(), lease.watermark()))
                                .toList());
            }
        };
    }

    /** A child that is read ahead is stored as settled past its start. */
    static SimulationSabotage watermarkAhead() {
        return new SimulationSabotage() {
            @Override
            public Optional<PartitionMode> mode() {
                return Optional.of(PartitionMode.IMMUTABLE_KEY_RANGE);
            }

            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return SimulationSabotages.spoil(
                        PartitionStorage.class, storage, "markRunning", (target, arguments) -> {
                            PartitionLease lease = (PartitionLease) arguments[0];
                            boolean running = target.markRunning(lease);
                            if (running && !lease.token().isRoot()) {
                                target.advanceWatermarks(List.of(new WatermarkAdvance(
                                        lease, lease.watermark().plusNanos(1))));
                            }
                            return running;
                        });
            }
        };
    }

    /** A key has a lane in each partition, and none that reaches over two. */
    static SimulationSabotage lanesEndWithPartition() {
        return new SimulationSabotage() {
            @Override
            public ChangeStreamSource source(ChangeStreamSource source) {
                return rows(
                        source,
                        (token, row) -> row instanceof DataChangeRecord change
                                ? inTable(change, change.tableName() + AT + token.value())
                                : row);
            }

            @Override
            public Consumer consumer(Consumer consumer, SimulatedProcess process) {
                if (consumer instanceof BatchConsumer batches) {
                    return new SpoiledBatchConsumer(batches);
                }
                return new SpoiledConsumer(consumer) {
                    @Override
                    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
                        target.consume(original(change), delivery);
                    }
                };
            }
        };
    }

    private record SpoiledBatchConsumer(BatchConsumer target) implements BatchConsumer {
        @Override
        public void consume(Batch batch) throws Exception {
            target.consume(SimulationSabotages.spoil(
                    Batch.class,
                    batch,
                    "changes",
                    (given, none) -> given.changes().stream()
                            .map(SimulationMoveSabotages::original)
                            .toList()));
        }

        @Override
        public void flush() throws Exception {
            target.flush();
        }
    }

    private static DataChangeRecord original(DataChangeRecord change) {
        return inTable(
                change, change.tableName().substring(0, change.tableName().indexOf(AT)));
    }

    private static DataChangeRecord inTable(DataChangeRecord change, String table) {
        return new DataChangeRecord(
                change.commitTimestamp(),
                change.recordSequence(),
                change.serverTransactionId(),
                change.isLastRecordInTransactionInPartition(),
                table,
                change.columnTypes(),
                change.mods(),
                change.modTypeName(),
                change.valueCaptureTypeName(),
                change.numberOfRecordsInTransaction(),
                change.numberOfPartitionsInTransaction(),
                change.transactionTag(),
                change.isSystemTransaction());
    }
}
