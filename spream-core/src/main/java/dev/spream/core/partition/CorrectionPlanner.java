package dev.spream.core.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The rules of {@link Correction#plan}. */
record CorrectionPlanner(
        SubscriptionRecord subscription,
        Lineage lineage,
        List<FinishedPartition> proofs,
        List<WorkerRegistration> workers) {
    /** A partition that ended at a snapshot, by a query after that time, has returned everything up to then. */
    private static final Duration AFTER_SNAPSHOT = Duration.ofNanos(1);

    CorrectionOutcome plan(Correction correction) {
        try {
            if (!(correction instanceof Correction.ContinueAfterSnapshot)) {
                CorrectionRefusal.requireIdle(lineage, workers);
            }
            return new CorrectionOutcome.Planned(
                    switch (correction) {
                        case Correction.MoveStart move -> moveStart(move.to());
                        case Correction.MoveEnd move -> moveEnd(move.to());
                        case Correction.AddGap gap -> addGap(gap.period(), gap.partitions());
                        case Correction.BeginAnew begin -> beginAnew(begin);
                        case Correction.AddSnapshot add -> addSnapshot(add);
                        case Correction.ContinueAfterSnapshot reading -> continueAfterSnapshot();
                        case Correction.Replace replace -> replace(replace.state());
                    });
        } catch (CorrectionRefusal e) {
            return new CorrectionOutcome.Refused(e.reason());
        }
    }

    private CorrectionPlan moveStart(Instant to) {
        requireNoSnapshot("with another start its rows would be missing");
        Instant from = subscription.startTimestamp();
        if (to.equals(from)) {
            return CorrectionPlan.ofNothing(subscription, lineage);
        }
        requireStartInRange(to);
        if (nothingWasRead()) {
            PartitionMetadata root = lineage.partition(PartitionToken.ROOT).orElseThrow();
            PartitionMetadata moved = CorrectedPartition.written(root, to, to, root.gaps(), root.state());
            return new CorrectionPlan(
                    subscription,
                    startingAt(to, subscription.snapshot()),
                    lineage,
                    false,
                    List.of(moved),
                    Set.of(),
                    Set.of(),
                    "start moved from %s to %s; nothing was read yet".formatted(from, to));
        }
        lineage.lowWatermark().filter(to::isAfter).ifPresent(low -> {
            throw new CorrectionRefusal(
                    "a start at %s would skip changes, because only those before %s are settled in all partitions; nothing was changed. Move the start to %s or earlier, add a gap, or begin anew"
                            .formatted(to, low, low));
        });
        return anew(to, snapshotOver(), "start moved from %s to %s".formatted(from, to));
    }

    private CorrectionPlan beginAnew(Correction.BeginAnew begin) {
        boolean snapshot = begin.withSnapshot(subscription);
        Optional<PartitionToken> query = snapshot ? Optional.of(snapshotQuery()) : snapshotOver();
        boolean sameStart = begin.start()
                .filter(start -> !start.equals(subscription.startTimestamp()))
                .isEmpty();
        if (sameStart && query.equals(subscription.snapshot()) && nothingWasRead() && isNew()) {
            return CorrectionPlan.ofNothing(subscription, lineage);
        }
        Instant start = begin.start().orElse(snapshot ? lineage.readAt() : subscription.startTimestamp());
        requireStartInRange(start);
        return anew(start, query, snapshot ? "begun anew with a snapshot" : "begun anew");
    }

    /** Returns the query of the former snapshot, or that of any source. */
    private PartitionToken snapshotQuery() {
        PartitionToken former = subscription.initialQuery();
        return former.isRoot() ? PartitionToken.SNAPSHOT : former;
    }

    /** Returns how a subscription begins whose rows are not read, or not again. */
    private Optional<PartitionToken> snapshotOver() {
        return subscription.snapshot().map(query -> PartitionToken.SNAPSHOT_ROWS);
    }

    private boolean isNew() {
        return lineage.partitions().stream().allMatch(root -> root.epoch() == 0);
    }

    private CorrectionPlan anew(Instant start, Optional<PartitionToken> snapshot, String what) {
        Optional<Instant> read = lineage.partitions().stream()
                .map(PartitionMetadata::watermark)
                .max(Instant::compareTo)
                .filter(start::isBefore);
        SubscriptionRecord after = startingAt(start, snapshot);
        boolean rows = !after.initialQuery().isRoot();
        Optional<Instant> skipped = lineage.lowWatermark().filter(low -> !rows && start.isAfter(low));
        String change = "%s: %d partitions removed, reading begins at %s%s%s%s"
                .formatted(
                        what,
                        lineage.partitions().size() + proofs.size(),
                        start,
                        rows
                                ? " with the rows as of then; rows that were deleted before, and whose deletion was not delivered, stay in the sink: empty its tables first, and name another ledger for a mirror (sink.jdbc.ledger), which has settled what was before"
                                : "",
                        skipped.map(low -> "; changes from %s to %s that are not settled are skipped"
                                        .formatted(low, start))
                                .orElse(""),
                        read.map(last -> "; changes from %s to %s that are settled are delivered again"
                                        .formatted(start, last))
                                .orElse(""));
        return new CorrectionPlan(
                subscription, after, lineage, true, List.of(after.root(lineage.readAt())), Set.of(), Set.of(), change);
    }

    private void requireStartInRange(Instant start) {
        subscription.endTimestamp().filter(start::isAfter).ifPresent(end -> {
            throw new CorrectionRefusal(
                    "a start at %s is after the end of the subscription, %s; nothing was changed. Move the end first, or start earlier"
                            .formatted(start, end));
        });
    }

    /** Returns whether only the initial query is stored, at the start. */
    private boolean nothingWasRead() {
        return proofs.isEmpty()
                && lineage.partitions().size() == 1
                && lineage.partition(PartitionToken.ROOT)
                        .filter(root -> !root.isFinished()
                                && root.gaps().isEmpty()
                                && root.watermark().equals(subscription.startTimestamp()))
                        .isPresent();
    }

    private CorrectionPlan moveEnd(Optional<Instant> to) {
        if (to.equals(subscription.endTimestamp())) {
            return CorrectionPlan.ofNothing(subscription, lineage);
        }
        lineage.pausedAt().ifPresent(at -> {
            throw new CorrectionRefusal(
                    "a snapshot as of %s was added and is not settled, and the stream is read up to then first; nothing was changed. Let workers read it first, or begin anew"
                            .formatted(at));
        });
        to.ifPresent(this::requireNotReadBeyond);
        List<PartitionMetadata> written = new ArrayList<>();
        unfinished().forEach(partition -> written.add(CorrectedPartition.withoutOwner(partition)));
        Reopened reopened = reopened(to, Duration.ZERO);
        written.addAll(reopened.partitions());
        String change = "end moved from %s to %s%s"
                .formatted(
                        text(subscription.endTimestamp()),
                        text(to),
                        reopened.partitions().isEmpty()
                                ? ""
                                : "; %d partitions that finished at the former end are read on"
                                        .formatted(reopened.partitions().size()));
        SubscriptionRecord after = new SubscriptionRecord(
                subscription.streamName(),
                subscription.startTimestamp(),
                to,
                subscription.heartbeatInterval(),
                subscription.partitionMode(),
                subscription.completed() && written.isEmpty(),
                subscription.snapshot(),
                subscription.forgotten());
        return new CorrectionPlan(subscription, after, lineage, false, written, reopened.restored(), Set.of(), change);
    }

    /**
     * Partitions that are read on.
     *
     * @param restored those of them that clean-up had removed
     */
    private record Reopened(List<PartitionMetadata> partitions, Set<PartitionToken> restored) {}

    /**
     * Returns the partitions that ended before that end of the subscription, as they are read on.
     *
     * @param after how long after their end
     */
    private Reopened reopened(Optional<Instant> end, Duration after) {
        List<PartitionMetadata> reopened = new ArrayList<>();
        lineage.partitions().stream()
                .filter(partition ->
                        partition.endProof().filter(endsBefore(end)).isPresent())
                .map(partition -> CorrectedPartition.readOn(partition, after))
                .forEach(reopened::add);
        Set<PartitionToken> restored = new HashSet<>();
        proofs.stream()
                .filter(proof -> endsBefore(end).test(proof.endProof()))
                .filter(proof -> lineage.partition(proof.token()).isEmpty())
                .forEach(proof -> {
                    restored.add(proof.token());
                    reopened.add(CorrectedPartition.restored(proof, after, lineage.readAt()));
                });
        return new Reopened(reopened, restored);
    }

    private CorrectionPlan addSnapshot(Correction.AddSnapshot add) {
        Instant at = add.at();
        if (knownTokens().anyMatch(add.partitions()::containsValue)) {
            return CorrectionPlan.ofNothing(subscription, lineage);
        }
        Optional<Instant> replaced = lineage.pausedAt();
        requireReplaceable(replaced, add.again());
        requireReadableUntil(at);
        Set<PartitionToken> removed = new HashSet<>();
        replaced.ifPresent(former -> {
            lineage.partitions().stream()
                    .filter(partition -> partition.startTimestamp().equals(former))
                    .forEach(partition -> removed.add(partition.token()));
            proofs.stream()
                    .filter(proof -> proof.startTimestamp().equals(former))
                    .forEach(proof -> removed.add(proof.token()));
            removed.removeIf(token -> !token.isOfAddedSnapshot());
        });
        List<PartitionMetadata> written = new ArrayList<>();
        unfinished()
                .filter(partition -> !removed.contains(partition.token()))
                .forEach(partition -> written.add(CorrectedPartition.withoutClaims(partition)));
        Reopened reopened = reopened(subscription.endTimestamp(), AFTER_SNAPSHOT);
        written.addAll(reopened.partitions());
        add.partitions()
                .values()
                .forEach(token -> written.add(PartitionMetadata.created(
                        token, List.of(PartitionToken.SNAPSHOT_CHANGES), at, lineage.readAt())));
        return new CorrectionPlan(
                subscription,
                subscription,
                lineage,
                false,
                written,
                reopened.restored(),
                removed,
                "snapshot of %s as of %s added%s: workers read every partition up to then, then the rows, then on after it"
                        .formatted(
                                String.join(", ", add.partitions().keySet()),
                                at,
                                replaced.map(former -> " in place of the one as of " + former)
                                        .orElse("")));
    }

    private void requireReplaceable(Optional<Instant> unsettled, boolean again) {
        if (unsettled.isEmpty()) {
            requireNoSnapshot("it has the rows of all tables");
        } else if (!again) {
            throw new CorrectionRefusal(
                    "a snapshot as of %s was added and is not settled; nothing was changed. Let workers read it first; or add one with again (--again) in its place, of all tables whose rows are missing, if the database does not keep rows as of then any more"
                            .formatted(unsettled.get()));
        }
    }

    /** Refuses a time up to which the stream cannot be read: it was read further, or ends before. */
    private void requireReadableUntil(Instant at) {
        subscription.endTimestamp().filter(at::isAfter).ifPresent(end -> {
            throw new CorrectionRefusal(
                    "a snapshot as of %s is after the end of the subscription, %s; nothing was changed. Move the end first (spream subscription move-end)"
                            .formatted(at, end));
        });
        unfinished()
                .filter(partition -> partition.watermark().isAfter(at))
                .findFirst()
                .ifPresent(partition -> {
                    throw new CorrectionRefusal(
                            "a snapshot as of %s is before what was read already: partition %s is settled before %s; nothing was changed. Add it as of a later time"
                                    .formatted(at, partition.token().abbreviated(), partition.watermark()));
                });
        Stream.concat(
                        lineage.partitions().stream()
                                .filter(PartitionMetadata::isFinished)
                                .map(LineageNode::of),
                        proofs.stream().map(LineageNode::of))
                .filter(node -> !node.token().isOfSnapshot())
                .forEach(node -> node.end()
                        .filter(end -> end.at().isAfter(at))
                        .ifPresent(end -> refuseFinishedAfter(at, node.token(), end)));
    }

    private static void refuseFinishedAfter(Instant at, PartitionToken token, PartitionEnd end) {
        throw new CorrectionRefusal(
                "a snapshot as of %s is before what was read already: partition %s is finished, and was read until %s; nothing was changed. %s"
                        .formatted(
                                at,
                                token.abbreviated(),
                                end.at(),
                                isAtEndOfSubscription(end)
                                        ? "Add it as of then, or move the end (spream subscription move-end) and add it as of a later time"
                                        : "Add it as of a later time"));
    }

    private Stream<PartitionToken> knownTokens() {
        return Stream.concat(
                lineage.partitions().stream().map(PartitionMetadata::token),
                proofs.stream().map(FinishedPartition::token));
    }

    private CorrectionPlan continueAfterSnapshot() {
        boolean added = knownTokens().anyMatch(PartitionToken::isOfAddedSnapshot);
        if (!added || unfinished().findAny().isPresent()) {
            return CorrectionPlan.ofNothing(subscription, lineage);
        }
        Reopened reopened = reopened(subscription.endTimestamp(), AFTER_SNAPSHOT);
        return reopened.partitions().isEmpty()
                ? CorrectionPlan.ofNothing(subscription, lineage)
                : new CorrectionPlan(
                        subscription,
                        subscription,
                        lineage,
                        false,
                        reopened.partitions(),
                        reopened.restored(),
                        Set.of(),
                        "%d partitions are read on after the added snapshot"
                                .formatted(reopened.partitions().size()));
    }

    private CorrectionPlan replace(SubscriptionState state) {
        SubscriptionState.requireSettledSnapshot(subscription, lineage, proofs, workers);
        if (!state.subscription().snapshot().equals(subscription.snapshot())) {
            requireNoSnapshot("the state does not have its rows");
        }
        return new StateReplacement(subscription, lineage, proofs).plan(state);
    }

    private void requireNotReadBeyond(Instant end) {
        if (end.isBefore(subscription.startTimestamp())) {
            throw new CorrectionRefusal("an end at %s is before the start of the subscription, %s; nothing was changed"
                    .formatted(end, subscription.startTimestamp()));
        }
        Stream.concat(
                        unfinished().map(PartitionMetadata::watermark),
                        ends().filter(CorrectionPlanner::isAtEndOfSubscription).map(PartitionEnd::at))
                .max(Instant::compareTo)
                .filter(end::isBefore)
                .ifPresent(read -> {
                    throw new CorrectionRefusal(
                            "an end at %s is before what was read already: a partition was read up to %s; nothing was changed. Move the end to %s or later"
                                    .formatted(end, read, read));
                });
    }

    private Stream<PartitionEnd> ends() {
        return Stream.concat(
                lineage.partitions().stream().flatMap(partition -> partition.endProof().stream()),
                proofs.stream().map(FinishedPartition::endProof));
    }

    private static Predicate<PartitionEnd> endsBefore(Optional<Instant> end) {
        return proof -> isAtEndOfSubscription(proof)
                && end.filter(last -> !proof.at().isBefore(last)).isEmpty();
    }

    /** Returns whether the partition ended because the subscription did; a lost one has no children only then. */
    static boolean isAtEndOfSubscription(PartitionEnd proof) {
        return switch (proof.kind()) {
            case BOUNDED_END -> true;
            case RETENTION_LOST -> proof.children().isEmpty();
            case CHILD_PARTITIONS, PARTITION_END, ADOPTED -> false;
        };
    }

    private CorrectionPlan addGap(PartitionGap period, Set<PartitionToken> named) {
        requireInRange(period);
        requireNoSnapshot("a gap would skip rows of it");
        List<PartitionMetadata> written = new ArrayList<>();
        Map<PartitionToken, Instant> watermarks = new HashMap<>();
        int gaps = 0;
        for (PartitionMetadata partition : named.isEmpty() ? unfinished().toList() : unfinished(named)) {
            Instant watermark = partition.watermark();
            if (watermark.isBefore(period.from())) {
                throw new CorrectionRefusal(
                        "partition %s is settled before %s only, so that a gap from %s would leave time uncovered; nothing was changed. Begin the gap at %s or earlier"
                                .formatted(partition.token().abbreviated(), watermark, period.from(), watermark));
            }
            if (watermark.isBefore(period.to())) {
                written.add(CorrectedPartition.withGap(partition, new PartitionGap(watermark, period.to())));
                watermarks.put(partition.token(), period.to());
                gaps++;
            }
        }
        if (gaps == 0) {
            return CorrectionPlan.ofNothing(subscription, lineage);
        }
        written.forEach(partition -> requireSourcesPassed(partition, watermarks));
        if (subscription.partitionMode() == PartitionMode.MUTABLE_KEY_RANGE) {
            requireOthersPassed(period.to(), watermarks);
        }
        return new CorrectionPlan(
                subscription,
                subscription,
                lineage,
                false,
                written,
                Set.of(),
                Set.of(),
                "gap from %s to %s added to %d partitions".formatted(period.from(), period.to(), gaps));
    }

    /** Refuses what would lose rows of a snapshot that is not read yet. */
    private void requireNoSnapshot(String reason) {
        unfinished()
                .filter(partition -> partition.token().isOfSnapshot()
                        || (partition.token().isRoot()
                                && !subscription.initialQuery().isRoot()))
                .findFirst()
                .ifPresent(partition -> {
                    throw new CorrectionRefusal(
                            "the snapshot is not read yet (%s is not finished), and %s; nothing was changed. Let workers finish the snapshot first, or begin anew"
                                    .formatted(partition.token().abbreviated(), reason));
                });
    }

    private void requireInRange(PartitionGap period) {
        Instant start = subscription.startTimestamp();
        Optional<Instant> end = subscription.endTimestamp();
        if (period.from().isBefore(start) || end.filter(period.to()::isAfter).isPresent()) {
            throw new CorrectionRefusal(
                    "a gap from %s to %s is outside of the subscription, which is from %s to %s; nothing was changed"
                            .formatted(period.from(), period.to(), start, text(end)));
        }
    }

    private List<PartitionMetadata> unfinished(Collection<PartitionToken> named) {
        return named.stream()
                .sorted()
                .map(token -> lineage.partition(token)
                        .filter(partition -> !partition.isFinished())
                        .orElseThrow(() -> new CorrectionRefusal(
                                "partition %s is %s; nothing was changed. Name partitions that are not finished"
                                        .formatted(
                                                token.abbreviated(),
                                                lineage.partition(token).isPresent() ? "finished" : "not stored"))))
                .toList();
    }

    /** Refuses to skip a move-in whose sources are not settled: changes of a key would be delivered out of order. */
    private void requireSourcesPassed(PartitionMetadata skipping, Map<PartitionToken, Instant> watermarks) {
        PartitionMetadata stored = lineage.partition(skipping.token()).orElseThrow();
        stored.moveIn()
                .filter(moveIn -> skipping.watermark().isAfter(moveIn.timestamp()))
                .ifPresent(moveIn -> lineage.awaitedSources(stored).stream()
                        .filter(source ->
                                !watermarks.getOrDefault(source, Instant.MIN).isAfter(moveIn.timestamp()))
                        .findFirst()
                        .ifPresent(source -> {
                            throw new CorrectionRefusal(
                                    "partition %s waits for partition %s, from which keys moved in at %s, so that a gap would change their order; nothing was changed. Add the gap to both, or to all"
                                            .formatted(
                                                    stored.token().abbreviated(),
                                                    source.abbreviated(),
                                                    moveIn.timestamp()));
                        }));
    }

    /** Refuses to skip move-ins that were not read yet, which may be from any partition that is not settled. */
    private void requireOthersPassed(Instant end, Map<PartitionToken, Instant> watermarks) {
        unfinished()
                .filter(other -> !watermarks.containsKey(other.token())
                        && other.watermark().isBefore(end))
                .findFirst()
                .ifPresent(other -> {
                    throw new CorrectionRefusal(
                            "keys may have moved in the gap from partition %s, which is settled before %s only, so that a gap would change their order; nothing was changed. Add the gap to it too, or to all"
                                    .formatted(other.token().abbreviated(), other.watermark()));
                });
    }

    private Stream<PartitionMetadata> unfinished() {
        return lineage.partitions().stream().filter(partition -> !partition.isFinished());
    }

    private SubscriptionRecord startingAt(Instant start, Optional<PartitionToken> snapshot) {
        return new SubscriptionRecord(
                subscription.streamName(),
                start,
                subscription.endTimestamp(),
                subscription.heartbeatInterval(),
                subscription.partitionMode(),
                false,
                snapshot);
    }

    private static String text(Optional<Instant> end) {
        return end.map(Instant::toString).orElse("none");
    }
}
