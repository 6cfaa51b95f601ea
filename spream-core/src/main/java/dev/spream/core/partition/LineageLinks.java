package dev.spream.core.partition;

import dev.spream.core.partition.LineageFinding.Kind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The rules of {@link LineageCheck} between a partition and its parents and children. */
record LineageLinks(
        Map<PartitionToken, LineageNode> nodes,
        Optional<Instant> lowWatermark,
        List<LineageFinding> findings,
        List<LineageNode> lost) {

    LineageLinks(
            Map<PartitionToken, LineageNode> nodes, Optional<Instant> lowWatermark, List<LineageFinding> findings) {
        this(
                nodes,
                lowWatermark,
                findings,
                nodes.values().stream().filter(LineageNode::isLost).toList());
    }

    void check(LineageNode node) {
        node.end().ifPresent(proof -> proof.children().forEach(child -> checkChild(node, proof, child)));
        if (!node.token().isRoot()) {
            List<PartitionToken> parents = node.parents().isEmpty() ? List.of(PartitionToken.ROOT) : node.parents();
            parents.forEach(parent -> checkParent(node, parent));
        }
    }

    private void checkChild(LineageNode parent, PartitionEnd proof, PartitionToken token) {
        LineageNode child = nodes.get(token);
        if (child == null) {
            find(
                    Kind.CHILD_MISSING,
                    List.of(parent.token(), token),
                    "partition %s ended at %s in %s, which is neither stored nor proven: changes of %s from %s on are not read"
                            .formatted(parent, proof.at(), token.abbreviated(), token.abbreviated(), proof.at()));
            return;
        }
        if (!child.continues(parent) && !foundInPlaceOfLost(parent, child)) {
            find(
                    Kind.PARENT_NOT_NAMED,
                    List.of(parent.token(), token),
                    "partition %s names the child %s, which does not name it as a parent: %s may have been read before %s was finished"
                            .formatted(parent, child, child, parent));
        }
        checkTimes(parent, proof.at(), child);
    }

    /**
     * Returns whether the child was found in place of a lost partition. Such a child may have other parents too, and
     * the lost partition other children.
     */
    private boolean foundInPlaceOfLost(LineageNode parent, LineageNode child) {
        return parent.isLost() || child.parents().stream().anyMatch(this::isLost) || replacesLostRoot(child);
    }

    private boolean isLost(PartitionToken token) {
        LineageNode node = nodes.get(token);
        return node != null && node.isLost();
    }

    private boolean replacesLostRoot(LineageNode child) {
        return child.parents().isEmpty() && isLost(PartitionToken.ROOT);
    }

    private void checkTimes(LineageNode parent, Instant end, LineageNode child) {
        if (child.start().isAfter(end) && !isLost(end, child.start())) {
            findings.add(new LineageFinding(
                    Kind.TIME_UNCOVERED,
                    List.of(parent.token(), child.token()),
                    Optional.of(end),
                    Optional.of(child.start()),
                    "partition %s ends at %s and its child %s starts at %s: the time between is not covered, from %s to %s"
                            .formatted(parent, end, child, child.start(), end, child.start())));
        } else if (child.start().isBefore(end) && !parent.isLost()) {
            find(
                    Kind.TIME_OVERLAP,
                    List.of(parent.token(), child.token()),
                    "partition %s ends at %s and its child %s starts before, at %s: one of the two times is not what the stream returned"
                            .formatted(parent, end, child, child.start()));
        }
    }

    private boolean isLost(Instant from, Instant to) {
        return lost.stream().anyMatch(node -> node.hasGap(from, to));
    }

    private void checkParent(LineageNode child, PartitionToken token) {
        LineageNode parent = nodes.get(token);
        if (parent == null) {
            checkMissingParent(child, token);
            return;
        }
        if (!parent.finished()) {
            checkOrder(parent, child);
        } else if (parent.end().isPresent()) {
            checkNamed(parent, parent.end().get(), child);
        }
    }

    private void checkMissingParent(LineageNode child, PartitionToken parent) {
        boolean undiscovered =
                !child.wasRead() && lowWatermark.filter(child.start()::isAfter).isPresent();
        // a missing root has a finding of its own
        if (!undiscovered && !parent.isRoot() && !isLost(child.start(), child.start())) {
            find(
                    Kind.PARENT_MISSING,
                    List.of(parent, child.token()),
                    "partition %s continues %s, which is neither stored nor proven: nothing shows that %s was read until %s"
                            .formatted(child, parent.abbreviated(), parent.abbreviated(), child.start()));
        }
    }

    /** The initial query carries no changes: its children need not wait for it. */
    private void checkOrder(LineageNode parent, LineageNode child) {
        if (child.wasRead() && !parent.token().isRoot()) {
            find(
                    Kind.READ_BEFORE_PARENT,
                    List.of(parent.token(), child.token()),
                    "partition %s was acquired before its parent %s was finished: changes of one key may have been delivered out of order; compare the consumer's data with the database, or deliver the changes again by a new subscription"
                            .formatted(child, parent));
        }
    }

    /**
     * Checks that the proof of the parent's end names the child. Where keys move between living partitions, not every
     * parent names its child.
     */
    private void checkNamed(LineageNode parent, PartitionEnd proof, LineageNode child) {
        boolean mustName =
                switch (proof.kind()) {
                    case CHILD_PARTITIONS, BOUNDED_END -> true;
                    case RETENTION_LOST -> child.start().isAfter(proof.at());
                    case PARTITION_END, ADOPTED -> false;
                };
        if (mustName && !proof.children().contains(child.token())) {
            find(
                    Kind.CHILD_NOT_NAMED,
                    List.of(parent.token(), child.token()),
                    "partition %s continues %s, whose proof of its end at %s does not name it as a child: the stored end of %s is not what the stream returned"
                            .formatted(child, parent, proof.at(), parent));
        }
    }

    private void find(Kind kind, List<PartitionToken> partitions, String message) {
        findings.add(new LineageFinding(kind, partitions, Optional.empty(), Optional.empty(), message));
    }
}
