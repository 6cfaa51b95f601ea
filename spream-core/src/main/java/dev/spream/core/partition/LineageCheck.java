package dev.spream.core.partition;

import dev.spream.core.partition.LineageFinding.Kind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The check that the stored lineage proves that no time of a subscription was skipped: the initial query starts where
 * the subscription does, every finished partition has a proof of its end, every child that a proof names is stored or
 * proven, starts where its parents end, and was not read before they were; and a partition that ends without children
 * ends at the end of the subscription. A pure function: it reads neither the storage nor the stream.
 *
 * <p>While rows of an added snapshot are not settled, no partition is read past their time.
 *
 * <p>Assumptions:
 *
 * <ul>
 *   <li>Gaps that the user accepted are reported, but are not findings. If a whole partition
 *       expired, the tokens of its descendants are lost, so within its gap a parent may be unknown, and a partition
 *       found in its place may have been named by another one too.
 *   <li>Where the table of another reader was adopted, its records of how its partitions ended, and of the order in
 *       which it read them, are correct.
 *   <li>A partition may end at the time of an added snapshot until that is settled, and is read on then.
 *   <li>A parent that is not stored is not a finding for a child that was not read yet, while an unfinished partition
 *       has a watermark before the child's start: it may not have been discovered yet.
 *   <li>Where {@linkplain ForgottenProofs proofs were forgotten}, partitions that ended before are not missing.
 * </ul>
 *
 * <p>The lineage has to be read before the proofs, and the subscription last; clean-up between the reads is then harmless.
 */
public final class LineageCheck {
    private final SubscriptionRecord subscription;
    private final Lineage lineage;
    private final List<FinishedPartition> proofs;
    private final Map<PartitionToken, LineageNode> nodes = new HashMap<>();
    private final List<LineageFinding> findings = new ArrayList<>();

    private LineageCheck(SubscriptionRecord subscription, Lineage lineage, List<FinishedPartition> proofs) {
        this.subscription = subscription;
        this.lineage = lineage;
        this.proofs = proofs;
    }

    /**
     * Checks a subscription.
     *
     * @param lineage all its partitions that are stored
     * @param proofs the proofs of the removed partitions, read after the lineage
     */
    public static LineageReport check(
            SubscriptionRecord subscription, Lineage lineage, List<FinishedPartition> proofs) {
        return new LineageCheck(subscription, lineage, proofs).run();
    }

    private LineageReport run() {
        proofs.forEach(proof -> nodes.put(proof.token(), LineageNode.of(proof)));
        lineage.partitions().forEach(this::addStored);
        List<LineageNode> ordered = nodes.values().stream()
                .sorted(Comparator.comparing(LineageNode::start).thenComparing(LineageNode::token))
                .toList();
        checkRoot();
        LineageEnds ends = new LineageEnds(subscription, pauses(ordered), unsettledSnapshots(ordered), findings);
        LineageLinks links = new LineageLinks(subscription, nodes, lineage.discoveredUntil(), findings);
        for (LineageNode node : ordered) {
            ends.check(node);
            links.check(node);
        }
        subscription.forgotten().ifPresent(forgotten -> checkKept(forgotten, ordered));
        LineageCycles.check(ordered, nodes, findings);
        return report(ordered);
    }

    /**
     * Returns the times at which partitions may have ended for now: those of added snapshots that are not settled, or after
     * which no worker has read on yet.
     */
    private static Set<Instant> pauses(List<LineageNode> nodes) {
        boolean allFinished = nodes.stream().allMatch(LineageNode::finished);
        return nodes.stream()
                .filter(node -> node.token().isOfAddedSnapshot() && (allFinished || !node.finished()))
                .map(LineageNode::start)
                .collect(Collectors.toSet());
    }

    /** Returns the times of added snapshots with rows that are not settled. */
    private static Set<Instant> unsettledSnapshots(List<LineageNode> nodes) {
        return nodes.stream()
                .filter(node -> node.token().isOfAddedSnapshot() && !node.finished())
                .map(LineageNode::start)
                .collect(Collectors.toSet());
    }

    /** Adds a stored partition; a finished one that is removed as well was cleaned up between the two reads. */
    private void addStored(PartitionMetadata partition) {
        LineageNode removed = nodes.put(partition.token(), LineageNode.of(partition));
        if (removed != null && !partition.isFinished()) {
            findings.add(new LineageFinding(
                    Kind.STORED_AGAIN,
                    List.of(partition.token()),
                    Optional.empty(),
                    Optional.empty(),
                    "partition %s was finished and removed, and is stored again as %s: its changes would be delivered again, after later changes"
                            .formatted(removed, partition.state())));
        }
    }

    private void checkRoot() {
        LineageNode root = nodes.get(PartitionToken.ROOT);
        Instant start = subscription.startTimestamp();
        if (root == null) {
            findings.add(new LineageFinding(
                    Kind.ROOT_MISSING,
                    List.of(PartitionToken.ROOT),
                    Optional.empty(),
                    Optional.empty(),
                    "the initial query %s is neither stored nor proven: nothing shows which partitions existed at the start, %s"
                            .formatted(PartitionToken.ROOT, start)));
        } else if (!root.start().equals(start) && !root.endedBy(PartitionEnd.Kind.ADOPTED)) {
            findings.add(new LineageFinding(
                    Kind.ROOT_START,
                    List.of(PartitionToken.ROOT),
                    Optional.of(start).filter(root.start()::isAfter),
                    Optional.of(root.start()).filter(start::isBefore),
                    "the initial query %s starts at %s, the subscription at %s"
                            .formatted(PartitionToken.ROOT, root.start(), start)));
        }
    }

    /** Checks that every partition that ended later is known; those in a lineage that was read before may not be yet. */
    private void checkKept(ForgottenProofs forgotten, List<LineageNode> known) {
        long kept = known.stream().filter(forgotten::keeps).count();
        boolean discovered =
                lineage.discoveredUntil().filter(forgotten.before()::isAfter).isEmpty();
        if (discovered && kept != forgotten.kept()) {
            findings.add(new LineageFinding(
                    Kind.KEPT_DIFFER,
                    List.of(),
                    Optional.empty(),
                    Optional.empty(),
                    "when proofs of partitions that ended before %s were forgotten, %d others had started before, and %d are stored or proven: changes after %s may not be read, or be read again"
                            .formatted(forgotten.before(), forgotten.kept(), kept, forgotten.before())));
        }
    }

    private LineageReport report(Collection<LineageNode> ordered) {
        int finished = (int) ordered.stream().filter(LineageNode::finished).count();
        int adopted = (int) ordered.stream()
                .filter(node -> node.endedBy(PartitionEnd.Kind.ADOPTED))
                .count();
        List<LineageReport.Loss> losses = ordered.stream()
                .flatMap(node -> node.gaps().stream().map(gap -> new LineageReport.Loss(node.token(), gap)))
                .toList();
        int removed =
                (int) ordered.stream().filter(node -> node.stored().isEmpty()).count();
        return new LineageReport(
                ordered.size(),
                finished,
                removed,
                adopted,
                subscription.completed(),
                losses,
                findings,
                subscription.forgotten().map(ForgottenProofs::before));
    }
}
