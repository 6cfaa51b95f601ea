package dev.spream.core.partition;

import static java.util.stream.Collectors.toSet;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Storages with one defect each in move-ins, move-outs, or the gate over them. */
final class ForgetfulMoves {
    private ForgetfulMoves() {}

    /** Says that it stored a move-in, and did not. */
    static final class ForgetsMoveIns extends ForwardingStorage {
        ForgetsMoveIns(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            return target.markRunning(lease);
        }
    }

    /** Keeps the first move-in of a partition: INSERT … ON CONFLICT DO NOTHING. */
    static final class KeepsFirstMoveIn extends ForwardingStorage {
        KeepsFirstMoveIn(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            return target.waitForMoveIn(
                    lease,
                    target.lineage()
                            .partition(lease.token())
                            .flatMap(PartitionMetadata::moveIn)
                            .orElse(moveIn));
        }
    }

    /** Takes a move-in that is stored already for a lost lease, as an update that changes no row. */
    static final class LosesRepeatedMoveIns extends ForwardingStorage {
        LosesRepeatedMoveIns(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            return target.lineage()
                            .partition(lease.token())
                            .flatMap(PartitionMetadata::moveIn)
                            .filter(moveIn::equals)
                            .isEmpty()
                    && target.waitForMoveIn(lease, moveIn);
        }
    }

    /** Adds the sources of a move-in to those of the one before. */
    static final class AddsMoveIns extends ForwardingStorage {
        AddsMoveIns(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            List<PartitionToken> sources = new ArrayList<>(moveIn.sources());
            target.lineage()
                    .partition(lease.token())
                    .flatMap(PartitionMetadata::moveIn)
                    .ifPresent(stored -> sources.addAll(stored.sources()));
            return target.waitForMoveIn(
                    lease,
                    new MoveIn(moveIn.timestamp(), sources.stream().distinct().toList()));
        }
    }

    /** Stores a move-in under a lease that is lost. */
    static final class WaitsUnderLostLeases extends ForwardingStorage {
        WaitsUnderLostLeases(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            return target.waitForMoveIn(ForgetfulStorages.present(target, lease), moveIn);
        }
    }

    /** Stores move-outs under a lease that is lost. */
    static final class MovesOutUnderLostLeases extends ForwardingStorage {
        MovesOutUnderLostLeases(PartitionStorage target) {
            super(target);
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            target.advanceWatermarks(advances.stream()
                    .filter(advance -> advance.moveOuts().isPresent())
                    .map(advance -> new WatermarkAdvance(
                            ForgetfulStorages.present(target, advance.lease()),
                            advance.watermark(),
                            advance.moveOuts()))
                    .toList());
            return target.advanceWatermarks(advances);
        }
    }

    /** Takes a partition that stores a move-in for one that is read. */
    static final class WaitsBeforeReading extends ForwardingStorage {
        WaitsBeforeReading(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            return target.markRunning(lease) && target.waitForMoveIn(lease, moveIn);
        }
    }

    /** Keeps microseconds of a move-in. */
    static final class RoundsMoveIns extends ForwardingStorage {
        RoundsMoveIns(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
            return target.waitForMoveIn(
                    lease, new MoveIn(moveIn.timestamp().truncatedTo(ChronoUnit.MICROS), moveIn.sources()));
        }
    }

    /** Drops a move-in once the watermark is later. */
    static final class DropsPassedMoveIns extends ForwardingStorage {
        DropsPassedMoveIns(PartitionStorage target) {
            super(target);
        }

        @Override
        public Lineage lineage() {
            return withMoveIns(target.lineage(), DropsPassedMoveIns::awaited);
        }

        @Override
        public Lineage frontier() {
            return withMoveIns(target.frontier(), DropsPassedMoveIns::awaited);
        }

        private static Optional<MoveIn> awaited(PartitionMetadata partition) {
            return partition.moveIn().filter(moveIn -> !partition.watermark().isAfter(moveIn.timestamp()));
        }
    }

    /** Stores watermarks without their move-outs. */
    static final class ForgetsMoveOuts extends ForwardingStorage {
        ForgetsMoveOuts(PartitionStorage target) {
            super(target);
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            return target.advanceWatermarks(advances.stream()
                    .map(advance -> new WatermarkAdvance(advance.lease(), advance.watermark()))
                    .toList());
        }
    }

    /** Of the advances of one partition in a batch, stores the latest, and of equal ones the first. */
    static final class StoresOneAdvanceOfABatch extends ForwardingStorage {
        StoresOneAdvanceOfABatch(PartitionStorage target) {
            super(target);
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            Map<PartitionToken, WatermarkAdvance> latest = new LinkedHashMap<>();
            advances.forEach(advance -> latest.merge(
                    advance.lease().token(),
                    advance,
                    (one, other) -> other.watermark().isAfter(one.watermark()) ? other : one));
            return target.advanceWatermarks(latest.values());
        }
    }

    /** Takes move-outs of an earlier watermark for those of the stored one. */
    static final class StoresEarlierMoveOuts extends ForwardingStorage {
        StoresEarlierMoveOuts(PartitionStorage target) {
            super(target);
        }

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            Set<PartitionToken> lost = new HashSet<>();
            for (WatermarkAdvance advance : advances) {
                Instant stored = target.lineage()
                        .partition(advance.lease().token())
                        .map(PartitionMetadata::watermark)
                        .orElse(advance.watermark());
                lost.addAll(target.advanceWatermarks(List.of(new WatermarkAdvance(
                        advance.lease(),
                        stored.isAfter(advance.watermark()) ? stored : advance.watermark(),
                        advance.moveOuts()))));
            }
            return lost;
        }
    }

    /** Acquires without the move-outs. */
    static final class AcquiresWithoutMoveOuts extends ForwardingStorage {
        AcquiresWithoutMoveOuts(PartitionStorage target) {
            super(target);
        }

        @Override
        public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
            return target.acquire(worker, claims, leaseTime).stream()
                    .map(AcquiresWithoutMoveOuts::withoutMoveOuts)
                    .toList();
        }

        static PartitionLease withoutMoveOuts(PartitionLease lease) {
            return new PartitionLease(lease.token(), lease.owner(), lease.epoch(), lease.watermark());
        }
    }

    /** Takes over without the move-outs of an owner whose lease has expired. */
    static final class TakesOverWithoutMoveOuts extends ForwardingStorage {
        TakesOverWithoutMoveOuts(PartitionStorage target) {
            super(target);
        }

        @Override
        public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
            Set<PartitionToken> released = target.lineage().partitions().stream()
                    .filter(partition -> partition.owner().isEmpty())
                    .map(PartitionMetadata::token)
                    .collect(toSet());
            return target.acquire(worker, claims, leaseTime).stream()
                    .map(lease ->
                            released.contains(lease.token()) ? lease : AcquiresWithoutMoveOuts.withoutMoveOuts(lease))
                    .toList();
        }
    }

    /** Keeps move-outs in a table of its own, which is written in some way after each advance. */
    private abstract static class SeparateMoveOuts extends ForwardingStorage {
        final Map<PartitionToken, MoveOuts> kept = new HashMap<>();

        SeparateMoveOuts(PartitionStorage target) {
            super(target);
        }

        /** Stores the move-outs of an advance that was not lost. */
        abstract void keep(WatermarkAdvance advance, PartitionMetadata before, PartitionMetadata after);

        @Override
        public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
            Set<PartitionToken> lost = new HashSet<>();
            for (WatermarkAdvance advance : advances) {
                PartitionToken token = advance.lease().token();
                Optional<PartitionMetadata> before = target.lineage().partition(token);
                if (target.advanceWatermarks(List.of(advance)).isEmpty()) {
                    keep(
                            advance,
                            before.orElseThrow(),
                            target.lineage().partition(token).orElseThrow());
                } else {
                    lost.add(token);
                }
            }
            return lost;
        }

        /** Drops the move-outs of a watermark that a gap or the end has passed. */
        void drop(PartitionToken token) {
            kept.remove(token);
        }

        private void dropPassed(PartitionToken token) {
            if (target.lineage()
                    .partition(token)
                    .flatMap(PartitionMetadata::moveOuts)
                    .isEmpty()) {
                drop(token);
            }
        }

        @Override
        public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
            boolean accepted = target.acceptGap(lease, gap);
            dropPassed(lease.token());
            return accepted;
        }

        @Override
        public boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
            boolean finished = target.finish(lease, watermark, proof);
            dropPassed(lease.token());
            return finished;
        }

        @Override
        public Lineage lineage() {
            return withMoveOuts(target.lineage(), partition -> Optional.ofNullable(kept.get(partition.token())));
        }

        @Override
        public Lineage frontier() {
            return withMoveOuts(target.frontier(), partition -> Optional.ofNullable(kept.get(partition.token())));
        }

        @Override
        public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
            return target.acquire(worker, claims, leaseTime).stream()
                    .map(lease -> new PartitionLease(
                            lease.token(),
                            lease.owner(),
                            lease.epoch(),
                            lease.watermark(),
                            Optional.ofNullable(kept.get(lease.token()))))
                    .toList();
        }
    }

    /** Stores the last move-outs of a watermark in place of those before. */
    static final class ReplacesMoveOuts extends SeparateMoveOuts {
        ReplacesMoveOuts(PartitionStorage target) {
            super(target);
        }

        @Override
        void keep(WatermarkAdvance advance, PartitionMetadata before, PartitionMetadata after) {
            if (after.moveOuts().isEmpty()) {
                kept.remove(advance.lease().token());
            } else if (advance.watermark().equals(after.watermark())) {
                advance.moveOuts()
                        .ifPresent(moveOuts -> kept.put(advance.lease().token(), moveOuts));
            }
        }
    }

    /** Keeps move-outs when the watermark moves on, in whatever way. */
    static final class KeepsMoveOuts extends SeparateMoveOuts {
        KeepsMoveOuts(PartitionStorage target) {
            super(target);
        }

        @Override
        void keep(WatermarkAdvance advance, PartitionMetadata before, PartitionMetadata after) {
            after.moveOuts().ifPresent(moveOuts -> kept.put(after.token(), moveOuts));
        }

        @Override
        void drop(PartitionToken token) {}
    }

    /** Compares watermarks by their microseconds, and so adds move-outs of one to those of the next. */
    static final class MixesNanoseconds extends SeparateMoveOuts {
        MixesNanoseconds(PartitionStorage target) {
            super(target);
        }

        @Override
        void keep(WatermarkAdvance advance, PartitionMetadata before, PartitionMetadata after) {
            boolean added = advance.watermark()
                    .truncatedTo(ChronoUnit.MICROS)
                    .equals(before.watermark().truncatedTo(ChronoUnit.MICROS));
            if (added) {
                advance.moveOuts().ifPresent(moveOuts -> kept.merge(after.token(), moveOuts, MoveOuts::and));
            } else if (after.moveOuts().isPresent()) {
                kept.put(after.token(), after.moveOuts().get());
            } else {
                kept.remove(after.token());
            }
        }
    }

    /** Drops move-outs when a gap is accepted, also when it was accepted before. */
    static final class DropsMoveOutsByRepeatedGaps extends SeparateMoveOuts {
        DropsMoveOutsByRepeatedGaps(PartitionStorage target) {
            super(target);
        }

        @Override
        void keep(WatermarkAdvance advance, PartitionMetadata before, PartitionMetadata after) {
            after.moveOuts()
                    .ifPresentOrElse(moveOuts -> kept.put(after.token(), moveOuts), () -> kept.remove(after.token()));
        }

        @Override
        public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
            boolean accepted = target.acceptGap(lease, gap);
            if (accepted) {
                kept.remove(lease.token());
            }
            return accepted;
        }
    }

    /** Requires the children of a partition end record to be stored. */
    static final class RequiresChildrenOfEndRecords extends ForwardingStorage {
        RequiresChildrenOfEndRecords(PartitionStorage target) {
            super(target);
        }

        @Override
        public boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
            Lineage stored = target.lineage();
            if (proof.kind() == PartitionEnd.Kind.PARTITION_END
                    && !proof.children().stream()
                            .allMatch(child -> stored.partition(child).isPresent())) {
                throw new IllegalArgumentException("not every child is stored");
            }
            return target.finish(lease, watermark, proof);
        }
    }

    /** Reads the frontier without the move-ins. */
    static final class HidesMoveIns extends ForwardingStorage {
        HidesMoveIns(PartitionStorage target) {
            super(target);
        }

        @Override
        public Lineage frontier() {
            return withMoveIns(target.frontier(), partition -> Optional.empty());
        }
    }

    /** Reads the frontier without the move-outs. */
    static final class HidesMoveOuts extends ForwardingStorage {
        HidesMoveOuts(PartitionStorage target) {
            super(target);
        }

        @Override
        public Lineage frontier() {
            return withMoveOuts(target.frontier(), partition -> Optional.empty());
        }
    }

    /** Reads the frontier with the finished parents alone. */
    static final class HidesFinishedSources extends ForwardingStorage {
        HidesFinishedSources(PartitionStorage target) {
            super(target);
        }

        @Override
        public Lineage frontier() {
            return withoutSources(target.frontier(), Instant.MAX);
        }
    }

    /** Removes the sources of a stored move-in. */
    static final class RemovesSources extends ForwardingStorage {
        private Instant removedBefore = Instant.MIN;

        RemovesSources(PartitionStorage target) {
            super(target);
        }

        @Override
        public int cleanUp(Instant finishedBefore) {
            removedBefore = finishedBefore;
            return target.cleanUp(finishedBefore);
        }

        @Override
        public Lineage lineage() {
            return withoutSources(target.lineage(), removedBefore);
        }

        @Override
        public Lineage frontier() {
            return withoutSources(target.frontier(), removedBefore);
        }
    }

    private static Lineage withoutSources(Lineage lineage, Instant finishedBefore) {
        Set<PartitionToken> parents = named(lineage, PartitionMetadata::parentTokens);
        Set<PartitionToken> sources = named(
                lineage, partition -> partition.moveIn().map(MoveIn::sources).orElse(List.of()));
        return Lineage.of(
                lineage.partitions().stream()
                        .filter(partition -> parents.contains(partition.token())
                                || !sources.contains(partition.token())
                                || partition
                                        .finishedAt()
                                        .filter(finishedBefore::isAfter)
                                        .isEmpty())
                        .toList(),
                lineage.readAt());
    }

    private static Set<PartitionToken> named(Lineage lineage, Function<PartitionMetadata, List<PartitionToken>> names) {
        return lineage.partitions().stream()
                .filter(partition -> !partition.isFinished())
                .flatMap(partition -> names.apply(partition).stream())
                .collect(toSet());
    }

    private static Lineage withMoveIns(Lineage lineage, Function<PartitionMetadata, Optional<MoveIn>> moveIn) {
        return mapped(lineage, row -> with(row, moveIn.apply(row), row.moveOuts()));
    }

    private static Lineage withMoveOuts(Lineage lineage, Function<PartitionMetadata, Optional<MoveOuts>> moveOuts) {
        return mapped(lineage, row -> with(row, row.moveIn(), moveOuts.apply(row)));
    }

    private static Lineage mapped(Lineage lineage, UnaryOperator<PartitionMetadata> change) {
        return Lineage.of(lineage.partitions().stream().map(change).toList(), lineage.readAt());
    }

    private static PartitionMetadata with(PartitionMetadata row, Optional<MoveIn> moveIn, Optional<MoveOuts> moveOuts) {
        return new PartitionMetadata(
                row.token(),
                row.parentTokens(),
                row.startTimestamp(),
                row.state(),
                row.watermark(),
                row.epoch(),
                row.owner(),
                row.leaseUntil(),
                row.leaseLive(),
                row.endProof(),
                row.createdAt(),
                row.scheduledAt(),
                row.runningAt(),
                row.finishedAt(),
                row.gaps(),
                moveIn,
                moveOuts);
    }
}
