package dev.spream.core.partition;

import dev.spream.core.partition.LineageFinding.Kind;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rules of {@link LineageCheck} for one partition by itself: its end, its watermark and its gaps.
 *
 * @param pauses the times at which partitions may have ended for now
 * @param unsettledSnapshots the times of added snapshots with rows that are not settled
 */
record LineageEnds(
        SubscriptionRecord subscription,
        Set<Instant> pauses,
        Set<Instant> unsettledSnapshots,
        List<LineageFinding> findings) {

    void check(LineageNode node) {
        checkGaps(node);
        if (!node.finished()) {
            checkUnfinished(node);
            return;
        }
        if (node.end().isEmpty()) {
            find(
                    Kind.NO_END_PROOF,
                    node,
                    "partition %s is FINISHED without a proof of its end: nothing shows that it was read to its end, or which partitions continue it"
                            .formatted(node));
            return;
        }
        PartitionEnd proof = node.end().get();
        checkReadPast(unsettledSnapshots, node, proof.at());
        switch (proof.kind()) {
            case BOUNDED_END -> checkBoundedEnd(node, proof);
            case CHILD_PARTITIONS -> {
                checkInitialQuery(node, proof);
                checkWatermark(node, proof);
            }
            case PARTITION_END -> checkWatermark(node, proof);
            case RETENTION_LOST -> checkLoss(node, proof);
            case ADOPTED -> {} // there is no further proof to check
        }
    }

    private void checkUnfinished(LineageNode node) {
        if (subscription.completed()) {
            find(
                    Kind.NOT_COMPLETE,
                    node,
                    "the subscription is marked as completed, and partition %s is not finished: no worker reads it any more"
                            .formatted(node));
        }
        if (node.hasProgress()) {
            node.stored().map(PartitionMetadata::watermark).ifPresent(read -> checkReadPast(pauses, node, read));
        }
    }

    private void checkReadPast(Set<Instant> times, LineageNode node, Instant read) {
        if (!node.token().isOfSnapshot()) {
            times.stream()
                    .filter(time -> read.isAfter(time) && !node.hasGap(time, time.plusNanos(1)))
                    .forEach(time -> findReadPast(node, time));
        }
    }

    private void findReadPast(LineageNode node, Instant pause) {
        find(
                Kind.READ_PAST_SNAPSHOT,
                node,
                "partition %s was settled past %s, the time of an added snapshot whose rows are not settled: rows may be delivered after later changes of their keys. Replace the snapshot (spream subscription add-snapshot --again)"
                        .formatted(node, pause));
    }

    private void checkBoundedEnd(LineageNode node, PartitionEnd proof) {
        Optional<Instant> end = subscription.endTimestamp();
        if (pauses.contains(proof.at())) {
            return;
        }
        if (end.isEmpty()) {
            find(
                    Kind.BOUNDED_END,
                    node,
                    "partition %s was finished at %s as at the end of the subscription, which has no end: later changes are not read"
                            .formatted(node, proof.at()));
        } else if (proof.at().isBefore(end.get())) {
            uncovered(
                    Kind.BOUNDED_END,
                    node,
                    proof.at(),
                    end.get(),
                    "partition %s was finished at %s as at the end of the subscription, which is %s: the time between is not covered"
                            .formatted(node, proof.at(), end.get()));
        }
    }

    /** The initial query reads no changes: the partitions that it finds have to start where it does. */
    private void checkInitialQuery(LineageNode node, PartitionEnd proof) {
        if (node.token().isRoot() && proof.at().isAfter(node.start()) && !node.hasGap(node.start(), proof.at())) {
            uncovered(
                    Kind.TIME_UNCOVERED,
                    node,
                    node.start(),
                    proof.at(),
                    "the initial query %s starts at %s, and the partitions that it found at %s: the time between is not covered"
                            .formatted(node, node.start(), proof.at()));
        }
    }

    /** A partition had its watermark moved to its end, or the start of its children, first, with everything settled. */
    private void checkWatermark(LineageNode node, PartitionEnd proof) {
        node.stored()
                .map(PartitionMetadata::watermark)
                .filter(proof.at()::isAfter)
                .ifPresent(watermark -> uncovered(
                        Kind.TIME_UNCOVERED,
                        node,
                        watermark,
                        proof.at(),
                        "partition %s is finished at %s, and its watermark stops at %s: nothing shows that the changes between were settled"
                                .formatted(node, proof.at(), watermark)));
    }

    private void checkLoss(LineageNode node, PartitionEnd proof) {
        if (node.gaps().stream().noneMatch(gap -> gap.to().equals(proof.at()))) {
            find(
                    Kind.GAP_MISPLACED,
                    node,
                    "partition %s was accepted as lost to the retention period until %s, and no accepted gap of it ends there: the loss is not recorded"
                            .formatted(node, proof.at()));
        }
        checkWatermark(node, proof);
    }

    private void checkGaps(LineageNode node) {
        Instant covered = node.start();
        for (PartitionGap gap : node.gaps()) {
            if (gap.from().isBefore(covered)) {
                find(
                        Kind.GAP_MISPLACED,
                        node,
                        "partition %s has an accepted gap from %s to %s, which begins before %s, where its predecessor ends: the extent of the loss is not known"
                                .formatted(node, gap.from(), gap.to(), covered));
            }
            covered = gap.to();
        }
        Instant last = covered;
        node.stored()
                .map(PartitionMetadata::watermark)
                .filter(last::isAfter)
                .ifPresent(watermark -> find(
                        Kind.GAP_MISPLACED,
                        node,
                        "partition %s has an accepted gap until %s, ahead of its watermark %s: changes before the gap are not settled"
                                .formatted(node, last, watermark)));
    }

    private void find(Kind kind, LineageNode node, String message) {
        findings.add(new LineageFinding(kind, List.of(node.token()), Optional.empty(), Optional.empty(), message));
    }

    private void uncovered(Kind kind, LineageNode node, Instant from, Instant to, String message) {
        findings.add(new LineageFinding(kind, List.of(node.token()), Optional.of(from), Optional.of(to), message));
    }
}
