package dev.spream.cli.partition;

import static dev.spream.cli.output.Dot.quoted;

import dev.spream.cli.output.Figures;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.util.ArrayList;
import java.util.List;

/** Formats partitions as a Graphviz graph. */
final class PartitionGraph {
    private PartitionGraph() {}

    static List<String> lines(PartitionView view) {
        List<String> lines = new ArrayList<>();
        lines.add("digraph partitions {");
        lines.add("  label=%s".formatted(quoted(view.stored().subscription().streamName())));
        lines.add("  node [shape=box, style=filled, fontname=\"sans-serif\"]");
        for (PartitionMetadata partition : view.shown().values()) {
            lines.add("  %s [label=%s, fillcolor=%s]"
                    .formatted(quoted(partition.token().value()), quoted(label(view, partition)), color(partition)));
        }
        for (PartitionMetadata partition : view.shown().values()) {
            for (PartitionToken source : view.awaited(partition)) {
                lines.add("  %s -> %s [style=dashed]"
                        .formatted(
                                quoted(source.value()), quoted(partition.token().value())));
            }
            for (PartitionToken parent : view.shownParents(partition)) {
                lines.add("  %s -> %s"
                        .formatted(
                                quoted(parent.value()), quoted(partition.token().value())));
            }
        }
        lines.add("}");
        return lines;
    }

    private static String label(PartitionView view, PartitionMetadata partition) {
        String text = "%s\n%s".formatted(partition.token().abbreviated(), partition.state());
        String owner = PartitionView.owner(partition);
        return (owner.equals("-") ? text : text + " " + owner)
                + view.lag(partition)
                        .map(lag -> "\nlag " + Figures.duration(lag))
                        .orElse("");
    }

    private static String color(PartitionMetadata partition) {
        return switch (partition.state()) {
            case CREATED -> "white";
            case SCHEDULED -> "khaki";
            case RUNNING -> "palegreen";
            case FINISHED -> "lightgray";
        };
    }
}
