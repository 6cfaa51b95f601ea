package dev.spream.cli.partition;

import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Figures;
import dev.spream.cli.output.PartitionLayout;
import dev.spream.cli.output.PartitionLayout.Line;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WorkerRegistration;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Formats partitions as lines of text, each below its parent, as {@link PartitionLayout} places them. A partition with
 * several parents names the others.
 */
final class PartitionTree {
    private final PartitionView view;

    private PartitionTree(PartitionView view) {
        this.view = view;
    }

    static List<String> lines(PartitionView view) {
        return new PartitionTree(view).lines();
    }

    private List<String> lines() {
        return Stream.concat(head().stream(), table().stream()).toList();
    }

    private List<String> head() {
        List<String> head = new ArrayList<>();
        head.add(subscription(view));
        for (WorkerRegistration worker : view.stored().workers()) {
            head.add("worker %s: %s, reads %d of at most %d partitions"
                    .formatted(
                            worker.worker(),
                            worker.alive() ? "alive" : "gone since " + worker.aliveUntil(),
                            view.stored().heldBy(worker.worker()),
                            worker.capacity()));
        }
        head.add("%d partitions stored (%s), %d removed with proof; %d shown"
                .formatted(
                        view.stored().lineage().partitions().size(),
                        states(),
                        view.stored().proofs().size(),
                        view.shown().size()));
        view.shown().values().forEach(partition -> waiting(partition).ifPresent(head::add));
        return head;
    }

    /** Returns a line about a partition whose changes wait for those that its key ranges moved from. */
    private Optional<String> waiting(PartitionMetadata partition) {
        List<PartitionToken> awaited = view.awaited(partition);
        if (awaited.isEmpty()) {
            return Optional.empty();
        }
        Instant at = partition.moveIn().orElseThrow().timestamp();
        String ahead = partition.leaseLive() ? ", unless its worker reads it ahead of them" : "";
        return Optional.of("partition %s waits at %s for %s, where key ranges moved in from%s"
                .formatted(
                        partition.token().abbreviated(),
                        at,
                        awaited.stream().map(PartitionToken::abbreviated).collect(Collectors.joining(", ")),
                        ahead));
    }

    /** Returns a line about the subscription: its stream, its start and end, its progress. */
    static String subscription(PartitionView view) {
        SubscriptionRecord subscription = view.stored().subscription();
        return "%s from %s %s: %s"
                .formatted(
                        subscription.streamName(),
                        subscription.startTimestamp(),
                        subscription.endTimestamp().map("to %s"::formatted).orElse("without end"),
                        subscription.completed()
                                ? "completed"
                                : view.stored()
                                        .lineage()
                                        .lagging()
                                        .map(lagging -> progress(view, lagging))
                                        .orElse("all partitions finished"));
    }

    private static String progress(PartitionView view, PartitionMetadata lagging) {
        Instant now = view.stored().now();
        Instant low = lagging.watermark();
        String lag = "low watermark %s of partition %s, behind by %s"
                .formatted(low, lagging.token().abbreviated(), Figures.duration(Duration.between(low, now)));
        return view.retention()
                .map(period -> lag + ", " + loss(Duration.between(now, low.plus(period))))
                .orElse(lag);
    }

    private static String loss(Duration left) {
        return left.isNegative() ? "changes are being lost" : "changes are lost in " + Figures.duration(left);
    }

    private String states() {
        Map<PartitionState, Long> counts = view.stored().lineage().partitions().stream()
                .collect(Collectors.groupingBy(PartitionMetadata::state, Collectors.counting()));
        return Stream.of(PartitionState.values())
                .filter(counts::containsKey)
                .map(state -> counts.get(state) + " " + state)
                .collect(Collectors.joining(", "));
    }

    private List<String> table() {
        return Columns.table(
                List.of("PARTITION", "STATE", "OWNER", "EPOCH", "WATERMARK", "LAG", "LOST IN", ""),
                view.layout().lines(),
                this::row);
    }

    private List<String> row(Line line) {
        PartitionMetadata partition = line.partition();
        List<PartitionToken> parents = view.shownParents(partition);
        String others =
                parents.stream().skip(1).map(PartitionToken::abbreviated).collect(Collectors.joining(", "));
        return List.of(
                line.name(),
                partition.state().toString(),
                PartitionView.owner(partition),
                String.valueOf(partition.epoch()),
                partition.watermark().toString(),
                view.lag(partition).map(Figures::duration).orElse("-"),
                view.untilLoss(partition)
                        .map(left -> left.isNegative() ? "lost" : Figures.duration(left))
                        .orElse("-"),
                notes(partition, others));
    }

    private String notes(PartitionMetadata partition, String otherParents) {
        List<String> notes = new ArrayList<>();
        if (!view.awaited(partition).isEmpty()) {
            notes.add("waits for a move-in");
        } else if (!otherParents.isEmpty()) {
            notes.add("also continues " + otherParents);
        }
        partition.gaps().forEach(gap -> notes.add("gap %s to %s".formatted(gap.from(), gap.to())));
        return String.join("; ", notes);
    }
}
