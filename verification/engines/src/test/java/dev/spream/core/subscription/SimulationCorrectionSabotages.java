package dev.spream.core.subscription;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionEdit;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.subscription.SimulatedCorrection.Kind;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Ways to break what a correction promises, one at a time. */
final class SimulationCorrectionSabotages {
    private SimulationCorrectionSabotages() {}

    /** Of the partitions that live at the end of a gap, one is found. */
    static SimulationSabotage startedInGapForgotten() {
        return new SimulationSabotage() {
            @Override
            public Optional<PartitionMode> mode() {
                return Optional.of(PartitionMode.MUTABLE_KEY_RANGE);
            }

            @Override
            public Kind correction() {
                return Kind.GAP;
            }

            @Override
            public ChangeStreamSource source(ChangeStreamSource source) {
                return SimulationSabotages.spoil(
                        ChangeStreamSource.class,
                        source,
                        "query",
                        (target, arguments) -> forgetting(target, (PartitionQuery) arguments[0]));
            }
        };
    }

    private static ChangeStreamCursor forgetting(ChangeStreamSource source, PartitionQuery query) throws Throwable {
        ChangeStreamCursor cursor = source.query(query);
        return query.token().isRoot() && query.startTimestamp().isAfter(SimulatedMachine.EPOCH)
                ? SimulationSabotages.spoil(
                        ChangeStreamCursor.class,
                        cursor,
                        "next",
                        (target, none) -> target.next().map(SimulationCorrectionSabotages::firstOf))
                : cursor;
    }

    private static ChangeRecord firstOf(ChangeRecord row) {
        return row instanceof PartitionStartRecord start
                ? new PartitionStartRecord(
                        start.startTimestamp(),
                        start.recordSequence(),
                        List.of(start.partitionTokens().getFirst()))
                : row;
    }

    /** Every other partition seems to be settled up to the end of a gap. */
    static SimulationSabotage othersNotAwaited() {
        return new SimulationSabotage() {
            @Override
            public Optional<PartitionMode> mode() {
                return Optional.of(PartitionMode.MUTABLE_KEY_RANGE);
            }

            @Override
            public Kind correction() {
                return Kind.LOSS;
            }

            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return SimulationSabotages.spoilFrontier(storage, SimulationCorrectionSabotages::readToEnd);
            }
        };
    }

    private static Lineage readToEnd(Lineage lineage) {
        Instant last = lineage.partitions().stream()
                .flatMap(partition -> partition.gaps().stream())
                .map(PartitionGap::to)
                .max(Comparator.naturalOrder())
                .orElse(Instant.MIN);
        return Lineage.of(
                lineage.partitions().stream()
                        .map(partition ->
                                partition.isFinished() || !partition.watermark().isBefore(last)
                                        ? partition
                                        : PartitionEdit.of(partition).watermark(last))
                        .toList(),
                lineage.readAt());
    }

    /** Workers do not see a snapshot that was added before every other partition is finished. */
    static SimulationSabotage pauseForgotten() {
        return new SimulationSabotage() {
            @Override
            public Kind correction() {
                return Kind.SNAPSHOT;
            }

            @Override
            public PartitionStorage storage(PartitionStorage storage, SimulatedProcess process) {
                return SimulationSabotages.spoilFrontier(storage, SimulationCorrectionSabotages::withoutRows);
            }
        };
    }

    private static Lineage withoutRows(Lineage lineage) {
        boolean read = lineage.partitions().stream()
                .allMatch(
                        partition -> partition.isFinished() || partition.token().isOfSnapshot());
        return read
                ? lineage
                : Lineage.of(
                        lineage.partitions().stream()
                                .filter(partition -> !isRow(partition.token()))
                                .toList(),
                        lineage.readAt());
    }

    private static boolean isRow(PartitionToken token) {
        return token.isOfAddedSnapshot();
    }
}
