package dev.spream.core.partition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules of {@link Correction.Replace}, for a subscription as stored. */
record StateReplacement(SubscriptionRecord stored, Lineage lineage, List<FinishedPartition> proofs) {

    CorrectionPlan plan(SubscriptionState state) {
        requireSameStream(state.subscription());
        requireNothingSkipped(state.subscription().startTimestamp());
        Map<PartitionToken, PartitionMetadata> rows = rows(state);
        if (isStored(rows, state.subscription())) {
            return CorrectionPlan.ofNothing(stored, lineage);
        }
        return new CorrectionPlan(
                stored,
                after(state.subscription()),
                lineage,
                true,
                List.copyOf(rows.values()),
                Set.of(),
                Set.of(),
                change(state));
    }

    private void requireSameStream(SubscriptionRecord other) {
        require("stream", stored.streamName(), other.streamName(), "Store it as a subscription of its own stream");
        require(
                "partition mode",
                stored.partitionMode().name(),
                other.partitionMode().name(),
                "Store it as a subscription of its own");
        require(
                "end",
                text(stored.endTimestamp()),
                text(other.endTimestamp()),
                "Move the end of the subscription first (spream subscription move-end)");
    }

    private static void require(String what, String stored, String other, String remedy) {
        if (!stored.equals(other)) {
            throw new CorrectionRefusal(
                    "the %s of the subscription is %s, that of the state is %s; nothing was changed. %s"
                            .formatted(what, stored, other, remedy));
        }
    }

    private static String text(Optional<Instant> end) {
        return end.map(Instant::toString).orElse("none");
    }

    private void requireNothingSkipped(Instant start) {
        lineage.lowWatermark().filter(start::isAfter).ifPresent(low -> {
            throw new CorrectionRefusal(
                    "the state begins at %s, and the subscription is settled before %s only, so that changes would be skipped; nothing was changed. Store it as a subscription of its own"
                            .formatted(start, low));
        });
    }

    private SubscriptionRecord after(SubscriptionRecord other) {
        return new SubscriptionRecord(
                stored.streamName(),
                other.startTimestamp(),
                stored.endTimestamp(),
                stored.heartbeatInterval(),
                stored.partitionMode(),
                false,
                other.snapshot());
    }

    private Map<PartitionToken, PartitionMetadata> rows(SubscriptionState state) {
        Set<PartitionToken> known = Stream.concat(
                        state.partitions().stream().map(PartitionMetadata::token),
                        state.finished().stream().map(FinishedPartition::token))
                .collect(Collectors.toCollection(HashSet::new));
        Lineage continued = Lineage.of(state.partitions(), lineage.readAt());
        List<PartitionToken> finishedBefore = finishedBefore(continued, state, known);
        Map<PartitionToken, PartitionMetadata> rows = new LinkedHashMap<>();
        finishedBefore.forEach(token -> rows.put(
                token, finished(token, List.of(), state.subscription().startTimestamp(), List.of(), endBefore(state))));
        state.finished()
                .forEach(proof -> rows.put(
                        proof.token(),
                        finished(
                                proof.token(),
                                proof.parentTokens(),
                                proof.startTimestamp(),
                                proof.gaps(),
                                known(proof.endProof(), known))));
        state.partitions().forEach(partition -> rows.put(partition.token(), row(partition, known)));
        return rows;
    }

    /**
     * Returns the partitions that are not in the state because that reader has finished them: the initial query, and
     * parents of which nothing is left to discover. An unfinished partition may also have a parent that is not discovered
     * yet.
     */
    private static List<PartitionToken> finishedBefore(
            Lineage continued, SubscriptionState state, Set<PartitionToken> known) {
        Stream<PartitionToken> ofFinished = state.finished().stream().flatMap(proof -> proof.parentTokens().stream());
        Stream<PartitionToken> ofStored = state.partitions().stream().flatMap(partition -> {
            List<PartitionToken> awaited = partition.isFinished() ? List.of() : continued.unfinishedParents(partition);
            return partition.parentTokens().stream().filter(parent -> !awaited.contains(parent));
        });
        return Stream.of(Stream.of(PartitionToken.ROOT), ofFinished, ofStored)
                .flatMap(tokens -> tokens)
                .filter(token -> !known.contains(token)
                        && !token.equals(PartitionToken.SNAPSHOT_ROWS)
                        && !token.equals(PartitionToken.SNAPSHOT_CHANGES))
                .distinct()
                .toList();
    }

    private static PartitionEnd endBefore(SubscriptionState state) {
        return new PartitionEnd(PartitionEnd.Kind.ADOPTED, state.subscription().startTimestamp(), List.of());
    }

    /** Returns the end without the children that are not in the state, because they are finished; it proves less then. */
    private static PartitionEnd known(PartitionEnd end, Set<PartitionToken> known) {
        if (known.containsAll(end.children())) {
            return end;
        }
        return new PartitionEnd(
                end.kind() == PartitionEnd.Kind.PARTITION_END ? end.kind() : PartitionEnd.Kind.ADOPTED,
                end.at(),
                end.children().stream().filter(known::contains).toList());
    }

    private PartitionMetadata row(PartitionMetadata partition, Set<PartitionToken> known) {
        return row(
                partition.token(),
                partition.parentTokens(),
                partition.startTimestamp(),
                partition.state(),
                partition.watermark(),
                partition.epoch(),
                partition.endProof().map(end -> known(end, known)),
                partition.gaps(),
                partition.moveIn(),
                partition.moveOuts());
    }

    private PartitionMetadata finished(
            PartitionToken token,
            List<PartitionToken> parents,
            Instant start,
            List<PartitionGap> gaps,
            PartitionEnd end) {
        return row(
                token,
                parents,
                start,
                PartitionState.FINISHED,
                latest(start, end.at(), gaps),
                1,
                Optional.of(end),
                gaps,
                Optional.empty(),
                Optional.empty());
    }

    private static Instant latest(Instant start, Instant end, List<PartitionGap> gaps) {
        return Stream.concat(Stream.of(start, end), gaps.stream().map(PartitionGap::to))
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    /** Returns an epoch that no worker has had a later one than: consumers may refuse changes of an earlier epoch. */
    private long epoch(PartitionToken token, long epoch) {
        return Stream.concat(lineage.partition(token).stream().map(PartitionMetadata::epoch), Stream.of(epoch))
                .max(Comparator.naturalOrder())
                .orElseThrow();
    }

    private PartitionMetadata row(
            PartitionToken token,
            List<PartitionToken> parents,
            Instant start,
            PartitionState state,
            Instant watermark,
            long epoch,
            Optional<PartitionEnd> end,
            List<PartitionGap> gaps,
            Optional<MoveIn> moveIn,
            Optional<MoveOuts> moveOuts) {
        Instant now = lineage.readAt();
        return new PartitionMetadata(
                token,
                parents,
                start,
                state,
                watermark,
                epoch(token, epoch),
                Optional.empty(),
                Optional.empty(),
                false,
                end,
                now,
                Optional.empty(),
                Optional.empty(),
                end.map(proof -> now),
                gaps,
                moveIn,
                moveOuts);
    }

    /** Returns whether the same is stored, but for epochs and the times of rows. */
    private boolean isStored(Map<PartitionToken, PartitionMetadata> rows, SubscriptionRecord other) {
        Set<PartitionMetadata> before =
                lineage.partitions().stream().map(StateReplacement::compared).collect(Collectors.toSet());
        List<PartitionMetadata> kept = new ArrayList<>(rows.values());
        Set<PartitionToken> removed =
                proofs.stream().map(FinishedPartition::token).collect(Collectors.toSet());
        kept.removeIf(row -> row.isFinished() && removed.contains(row.token()));
        return after(other).equals(stored.withForgotten(Optional.empty()))
                && kept.stream()
                        .map(StateReplacement::compared)
                        .collect(Collectors.toSet())
                        .equals(before);
    }

    private static PartitionMetadata compared(PartitionMetadata partition) {
        return new PartitionMetadata(
                partition.token(),
                partition.parentTokens(),
                partition.startTimestamp(),
                partition.state(),
                partition.watermark(),
                0,
                Optional.empty(),
                Optional.empty(),
                false,
                partition.endProof(),
                Instant.EPOCH,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                partition.gaps(),
                partition.moveIn(),
                partition.moveOuts());
    }

    private String change(SubscriptionState state) {
        List<PartitionMetadata> unfinished = state.partitions().stream()
                .filter(partition -> !partition.isFinished())
                .toList();
        Optional<Instant> low = Lineage.of(state.partitions(), lineage.readAt()).lowWatermark();
        return "replaced by the state of another reader: %d partitions removed, %d unfinished ones stored, settled before %s%s"
                .formatted(
                        lineage.partitions().size() + proofs.size(),
                        unfinished.size(),
                        low.map(Instant::toString).orElse("the end"),
                        lineage.lowWatermark()
                                .filter(before -> low.filter(before::isAfter).isPresent())
                                .map(before -> "; changes from %s to %s that are settled may be delivered again"
                                        .formatted(low.orElseThrow(), before))
                                .orElse(""));
    }
}
