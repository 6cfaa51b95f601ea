package dev.spream.core.partition;

import dev.spream.core.partition.LineageFinding.Kind;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The rules of {@link LineageCheck} between a partition and its parents and children.
 *
 * @param discovered the time before which every child of every partition is stored
 * @param provenFrom the time before which partitions may have ended that are forgotten, with their gaps
 */
record LineageLinks(
        PartitionMode mode,
        Map<PartitionToken, LineageNode> nodes,
        Optional<Instant> discovered,
        Instant provenFrom,
        List<LineageFinding> findings,
        List<LineageNode> lost) {

    LineageLinks(
            SubscriptionRecord subscription,
            Map<PartitionToken, LineageNode> nodes,
            Optional<Instant> discovered,
            List<LineageFinding> findings) {
        this(
                subscription.partitionMode(),
                nodes,
                discovered,
                subscription.forgotten().map(ForgottenProofs::before).orElse(Instant.MIN),
                findings,
                nodes.values().stream().filter(LineageNode::isLost).toList());
    }

    void check(LineageNode node) {
        node.end().ifPresent(proof -> proof.children().forEach(child -> checkChild(node, proof, child)));
        node.stored().ifPresent(stored -> checkMoveIn(node, stored));
        if (!node.token().isRoot() && !isStarted(node)) {
            List<PartitionToken> parents = node.parents().isEmpty() ? List.of(PartitionToken.ROOT) : node.parents();
            parents.forEach(parent -> checkParent(node, parent));
        }
    }

    /** Returns whether a start record named the partition: it does not say which partitions its keys came from. */
    private boolean isStarted(LineageNode node) {
        return mode == PartitionMode.MUTABLE_KEY_RANGE && node.parents().isEmpty();
    }

    private void checkChild(LineageNode parent, PartitionEnd proof, PartitionToken token) {
        LineageNode child = nodes.get(token);
        if (child == null && (isForgotten(proof.at()) || isUndiscovered(proof) || mayHaveEndedInGap(token, proof))) {
            return;
        }
        if (child == null) {
            find(
                    Kind.CHILD_MISSING,
                    List.of(parent.token(), token),
                    "partition %s ended at %s in %s, which is neither stored nor proven: changes of %s from %s on are not read"
                            .formatted(parent, proof.at(), token.abbreviated(), token.abbreviated(), proof.at()));
            return;
        }
        if (proof.kind() == PartitionEnd.Kind.PARTITION_END) {
            checkDestination(parent, proof.at(), child);
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

    /** Returns whether what ended at that time, or the gap that it was in, may be forgotten. */
    private boolean isForgotten(Instant at) {
        return at.isBefore(provenFrom);
    }

    /** Returns whether a destination may be named by a start record that was not read yet. */
    private boolean isUndiscovered(PartitionEnd proof) {
        return proof.kind() == PartitionEnd.Kind.PARTITION_END
                && discovered.filter(until -> !until.isAfter(proof.at())).isPresent();
    }

    /** Returns whether a destination may have started and ended in a gap, where its start record was not read. */
    private boolean mayHaveEndedInGap(PartitionToken destination, PartitionEnd proof) {
        return proof.kind() == PartitionEnd.Kind.PARTITION_END
                && nodes.values().stream()
                        .flatMap(node -> node.gapEnd(proof.at()).stream())
                        .anyMatch(end -> !livedAfter(end, destination));
    }

    /** Returns whether keys moved to or from the partition after that time. */
    private boolean livedAfter(Instant time, PartitionToken token) {
        return nodes.values().stream()
                .anyMatch(node -> node.end()
                                .filter(end ->
                                        end.at().isAfter(time) && end.children().contains(token))
                                .isPresent()
                        || node.stored()
                                .flatMap(PartitionMetadata::moveIn)
                                .filter(moveIn -> moveIn.timestamp().isAfter(time)
                                        && moveIn.sources().contains(token))
                                .isPresent());
    }

    /** Checks a partition that keys of an ended one went to, which may have been read for long. */
    private void checkDestination(LineageNode source, Instant end, LineageNode destination) {
        if (destination.start().isAfter(end)
                && !isForgotten(destination.start())
                && !startedInGap(source, end, destination)) {
            findings.add(new LineageFinding(
                    Kind.TIME_UNCOVERED,
                    List.of(source.token(), destination.token()),
                    Optional.of(end),
                    Optional.of(destination.start()),
                    "partition %s ends at %s and its keys went to %s, which starts at %s: the time between is not covered"
                            .formatted(source, end, destination, destination.start())));
        }
    }

    /**
     * Returns whether the destination started in a gap, and was found at its end: the gap is the source's own; or that of
     * another partition, and the source was finished before the destination was found. Before, the source, or one that its
     * keys came from, may have named the destination with an earlier start.
     */
    private boolean startedInGap(LineageNode source, Instant end, LineageNode destination) {
        if (!destination.parents().stream().allMatch(parent -> isLost(parent) || endsGapAt(destination.start(), parent))
                || nodes.values().stream().noneMatch(node -> node.endsGapAt(destination.start()))) {
            return false;
        }
        return source.hasGap(end, destination.start())
                || (isInGap(end, destination.start()) && !source.wasUnfinishedAtStorageOf(destination));
    }

    /** Returns whether the partition may be lost: those in its place are stored before its end is. */
    private boolean endsGapAt(Instant time, PartitionToken token) {
        LineageNode node = nodes.get(token);
        return node != null && node.endsGapAt(time);
    }

    private boolean isInGap(Instant from, Instant to) {
        return nodes.values().stream().anyMatch(node -> node.hasGap(from, to));
    }

    /** Checks that a partition that passed a move-in did so after its sources. */
    private void checkMoveIn(LineageNode node, PartitionMetadata stored) {
        stored.moveIn()
                .filter(moveIn -> stored.isFinished() || stored.watermark().isAfter(moveIn.timestamp()))
                .filter(moveIn -> !stored.hasLost(moveIn.timestamp()))
                .ifPresent(moveIn -> moveIn.sources().forEach(source -> checkSource(node, moveIn.timestamp(), source)));
    }

    private void checkSource(LineageNode node, Instant at, PartitionToken token) {
        if (!nodes.containsKey(token)) {
            checkMissingSource(node, at, token);
            return;
        }
        Optional<PartitionMetadata> source = Optional.ofNullable(nodes.get(token))
                .flatMap(LineageNode::stored)
                .filter(stored -> !stored.isFinished())
                .filter(stored -> stored.watermark().isBefore(at)
                        || (stored.watermark().equals(at)
                                && stored.moveOuts()
                                        .filter(moved -> moved.destinations().contains(node.token()))
                                        .isEmpty()));
        if (source.isPresent()) {
            find(
                    Kind.READ_BEFORE_MOVE_OUT,
                    List.of(token, node.token()),
                    "partition %s was read past %s, when key ranges moved in from %s, whose changes before that are not settled: changes of one key may have been delivered out of order"
                            .formatted(node, at, token.abbreviated()));
        }
    }

    /**
     * A source lived before the move, so it was discovered and is stored or proven. Not if it started and ended in a gap,
     * while others have not reached the move, or where the reader of an adopted table removed its row.
     */
    private void checkMissingSource(LineageNode node, Instant at, PartitionToken token) {
        LineageNode root = nodes.get(PartitionToken.ROOT);
        boolean adopted = root != null && root.endedBy(PartitionEnd.Kind.ADOPTED);
        boolean undiscovered = discovered.filter(at::isAfter).isPresent();
        if (!adopted && !undiscovered && !isForgotten(at) && !isInGap(at, at.plusNanos(1))) {
            find(
                    Kind.SOURCE_MISSING,
                    List.of(token, node.token()),
                    "key ranges of partition %s came from %s at %s, which is neither stored nor proven: nothing shows that %s was read until then"
                            .formatted(node, token.abbreviated(), at, token.abbreviated()));
        }
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
        if (token.equals(PartitionToken.SNAPSHOT_ROWS)) {
            nodes.values().stream()
                    .filter(node -> node.token().isOfSnapshot() && !node.finished())
                    .filter(node -> node.stored()
                            .filter(stored -> stored.watermark().isBefore(child.start()))
                            .isPresent())
                    .forEach(node -> checkOrder(node, child));
            return;
        }
        if (token.equals(PartitionToken.SNAPSHOT_CHANGES)) {
            nodes.values().stream()
                    .filter(node -> !node.token().isOfSnapshot() && !node.finished())
                    .filter(node -> node.stored()
                            .filter(stored -> !stored.watermark().isAfter(child.start()))
                            .isPresent())
                    .forEach(node -> checkOrder(node, child));
            return;
        }
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
                !child.wasRead() && discovered.filter(child.start()::isAfter).isPresent();
        // a missing root has a finding of its own
        if (!undiscovered && !parent.isRoot() && !isForgotten(child.start()) && !isLost(child.start(), child.start())) {
            find(
                    Kind.PARENT_MISSING,
                    List.of(parent, child.token()),
                    "partition %s continues %s, which is neither stored nor proven: nothing shows that %s was read until %s"
                            .formatted(child, parent.abbreviated(), parent.abbreviated(), child.start()));
        }
    }

    /**
     * The initial query carries no changes: its children need not wait for it. A child that was acquired and whose
     * watermark stands at its start is read ahead: after a crash, its changes come again, after its parent's.
     */
    private void checkOrder(LineageNode parent, LineageNode child) {
        if (child.wasRead() && child.hasProgress() && !parent.token().isRoot()) {
            find(
                    Kind.READ_BEFORE_PARENT,
                    List.of(parent.token(), child.token()),
                    "partition %s was settled past its start before its parent %s was finished: changes of one key may have been delivered out of order; compare the consumer's data with the database, or deliver the changes again by a new subscription"
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
