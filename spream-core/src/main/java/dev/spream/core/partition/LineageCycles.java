package dev.spream.core.partition;

import dev.spream.core.partition.LineageFinding.Kind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds partitions that continue each other in a circle, so that none of them can ever start. */
final class LineageCycles {
    private LineageCycles() {}

    static void check(
            List<LineageNode> nodes, Map<PartitionToken, LineageNode> byToken, List<LineageFinding> findings) {
        Map<PartitionToken, Set<PartitionToken>> parents = new HashMap<>();
        Map<PartitionToken, Set<PartitionToken>> children = new HashMap<>();
        for (LineageNode node : nodes) {
            for (PartitionToken parent : node.parents()) {
                if (byToken.containsKey(parent)) {
                    parents.computeIfAbsent(node.token(), key -> new HashSet<>())
                            .add(parent);
                    children.computeIfAbsent(parent, key -> new HashSet<>()).add(node.token());
                }
            }
        }
        Set<PartitionToken> left =
                nodes.stream().map(LineageNode::token).collect(Collectors.toCollection(HashSet::new));
        peel(left, parents, children);
        peel(left, children, parents);
        if (!left.isEmpty()) {
            List<PartitionToken> circle = new ArrayList<>(left);
            circle.sort(null);
            findings.add(new LineageFinding(
                    Kind.CYCLE,
                    circle,
                    Optional.empty(),
                    Optional.empty(),
                    "partitions continue each other in a circle, and none of them can start: %s"
                            .formatted(circle.stream()
                                    .map(PartitionToken::abbreviated)
                                    .collect(Collectors.joining(", ")))));
        }
    }

    /** Repeatedly removes partitions that no other one leads to. */
    private static void peel(
            Set<PartitionToken> left,
            Map<PartitionToken, Set<PartitionToken>> leadingTo,
            Map<PartitionToken, Set<PartitionToken>> followers) {
        Map<PartitionToken, Long> open = new HashMap<>();
        left.forEach(token -> open.put(
                token,
                leadingTo.getOrDefault(token, Set.of()).stream()
                        .filter(left::contains)
                        .count()));
        Deque<PartitionToken> free = left.stream()
                .filter(token -> open.getOrDefault(token, 0L) == 0)
                .collect(Collectors.toCollection(ArrayDeque::new));
        for (PartitionToken token = free.poll(); token != null; token = free.poll()) {
            left.remove(token);
            for (PartitionToken follower : followers.getOrDefault(token, Set.of())) {
                if (open.merge(follower, -1L, Long::sum) == 0 && left.contains(follower)) {
                    free.add(follower);
                }
            }
        }
    }
}
