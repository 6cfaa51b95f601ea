package dev.spream.cli.output;

import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Places partitions on lines, each below its parent. Only the children of a split are indented: a chain of moves keeps
 * its indentation, marked {@code >}. A partition with several parents is placed below the first. Confined to one thread.
 */
public final class PartitionLayout {
    private static final String CONTINUES = "> ";
    private static final int MAX_INDENT = 30;

    private final Map<PartitionToken, PartitionMetadata> shown = new LinkedHashMap<>();
    private final Map<PartitionToken, List<PartitionMetadata>> children = new HashMap<>();
    private final List<Line> lines = new ArrayList<>();
    private final Set<PartitionToken> done = new HashSet<>();

    /** @param partitions the partitions to place, in the order of their lineage */
    public PartitionLayout(Collection<PartitionMetadata> partitions) {
        partitions.forEach(partition -> shown.put(partition.token(), partition));
    }

    /**
     * A partition with its name, indented and marked.
     *
     * @param name the abbreviated token
     */
    public record Line(PartitionMetadata partition, String name) {}

    private record Place(PartitionMetadata partition, int indent, String mark) {}

    /** Returns the placed parents of the partition; the root for a child of the initial query. */
    public List<PartitionToken> parents(PartitionMetadata partition) {
        List<PartitionToken> parents = new ArrayList<>(partition.parentTokens());
        if (parents.isEmpty() && !partition.token().isRoot()) {
            parents.add(PartitionToken.ROOT);
        }
        parents.removeIf(parent -> !shown.containsKey(parent));
        return parents;
    }

    /** Returns the line of each partition. */
    public List<Line> lines() {
        List<PartitionMetadata> roots = new ArrayList<>();
        for (PartitionMetadata partition : shown.values()) {
            parents(partition).stream()
                    .findFirst()
                    .ifPresentOrElse(
                            parent -> children.computeIfAbsent(parent, key -> new ArrayList<>())
                                    .add(partition),
                            () -> roots.add(partition));
        }
        roots.forEach(this::lay);
        shown.values().forEach(this::lay); // partitions in a cycle of a corrupt table
        return List.copyOf(lines);
    }

    private void lay(PartitionMetadata root) {
        Deque<Place> next = new ArrayDeque<>();
        next.push(new Place(root, 0, ""));
        while (!next.isEmpty()) {
            Place place = next.pop();
            if (!done.add(place.partition().token())) {
                continue;
            }
            String name = "  ".repeat(Math.min(place.indent(), MAX_INDENT))
                    + place.mark()
                    + place.partition().token().abbreviated();
            lines.add(new Line(place.partition(), name));
            List<PartitionMetadata> below =
                    children.getOrDefault(place.partition().token(), List.of());
            boolean alone = below.size() == 1;
            below.reversed()
                    .forEach(child ->
                            next.push(new Place(child, place.indent() + (alone ? 0 : 1), alone ? CONTINUES : "")));
        }
    }
}
