package dev.spream.cli.partition;

import dev.spream.cli.output.Columns;
import dev.spream.core.partition.CorrectionPlan;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats a correction: the subscription before and after it, and the partitions that it changes. */
final class CorrectionPrinter {
    private CorrectionPrinter() {}

    static List<String> lines(CorrectionPlan plan) {
        if (plan.changesNothing()) {
            return List.of();
        }
        SubscriptionRecord before = plan.before();
        SubscriptionRecord after = plan.after();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("SUBSCRIPTION", "BEFORE", "AFTER"));
        rows.add(row("start", before.startTimestamp(), after.startTimestamp()));
        rows.add(row("end", text(before.endTimestamp()), text(after.endTimestamp())));
        if (before.snapshot().isPresent() || after.snapshot().isPresent()) {
            rows.add(row("begins with", beginning(before), beginning(after)));
        }
        rows.add(row("completed", before.completed(), after.completed()));
        rows.add(row("low watermark", text(plan.lineage().lowWatermark()), text(plan.lowWatermarkAfter())));
        rows.add(row("partitions", states(plan.lineage().partitions()), states(plan.partitionsAfter())));
        return Stream.concat(Columns.align(rows).stream(), partitions(plan).stream())
                .toList();
    }

    private static List<String> row(String name, Object before, Object after) {
        return List.of(name, before.toString(), after.toString());
    }

    private static String beginning(SubscriptionRecord subscription) {
        return subscription.initialQuery().isRoot() ? "stream" : "snapshot";
    }

    private static String text(Optional<Instant> time) {
        return time.map(Instant::toString).orElse("none");
    }

    private static String states(Collection<PartitionMetadata> partitions) {
        Map<PartitionState, Long> counts =
                partitions.stream().collect(Collectors.groupingBy(PartitionMetadata::state, Collectors.counting()));
        return Stream.of(PartitionState.values())
                .filter(counts::containsKey)
                .map(state -> counts.get(state) + " " + state)
                .collect(Collectors.joining(", "));
    }

    /** Returns the partitions that differ, unless all are removed. */
    private static List<String> partitions(CorrectionPlan plan) {
        return plan.removesAll()
                ? List.of()
                : Columns.table(
                        List.of("PARTITION", "STATE", "", "WATERMARK", ""),
                        plan.written().stream()
                                .filter(written -> differs(plan, written))
                                .toList(),
                        written -> row(plan, written));
    }

    private static boolean differs(CorrectionPlan plan, PartitionMetadata written) {
        return plan.lineage()
                .partition(written.token())
                .filter(stored ->
                        stored.state() == written.state() && stored.watermark().equals(written.watermark()))
                .isEmpty();
    }

    private static List<String> row(CorrectionPlan plan, PartitionMetadata written) {
        Optional<PartitionMetadata> stored = plan.lineage().partition(written.token());
        return List.of(
                written.token().abbreviated(),
                stored.map(partition -> partition.state().name()).orElse(plan.isNew(written) ? "new" : "removed"),
                "-> " + written.state(),
                stored.map(partition -> partition.watermark().toString()).orElse("-"),
                "-> " + written.watermark());
    }
}
