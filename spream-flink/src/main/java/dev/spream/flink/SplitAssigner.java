package dev.spream.flink;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * Decides which partitions are read now, by which reader: those that pass the gate, the oldest watermark first, by the
 * reader that reads fewest. One that waits only for parents that the same reader has emitted to their ends is read by
 * that reader: its changes follow theirs in the same channels. Without an order of keys, any reader may read it.
 *
 * <p>A partition that waits for the sources of a move-in is read: its reader holds back what is later than the move. It takes
 * no room there meanwhile, because its sources may need that: the reader closes its query if others wait.
 *
 * <p>Partitions for which no reader has room wait for one that has; after a while they are given beyond the room of the
 * readers, in which the partitions take turns then.
 */
final class SplitAssigner {
    private static final Comparator<PartitionMetadata> OLDEST_FIRST =
            Comparator.comparing(PartitionMetadata::watermark).thenComparing(PartitionMetadata::token);

    /**
     * The numbers of partitions after an assignment.
     *
     * @param unassigned those that no reader has
     * @param withoutRoom those of them that may be read, and wait for a reader with room
     * @param beyondRoom those that readers have beyond their room, and read in turns
     * @param waitingForCheckpoint those that wait for a checkpoint alone, whether a reader has them or not
     * @param waitingForSources those that a reader has and that wait for the sources of a move-in to be read
     * @param waitingForParents the unassigned ones that wait for their parents to be read
     * @param oldestUnassigned the earliest watermark of the unassigned ones
     */
    record Counts(
            int unassigned,
            int withoutRoom,
            int beyondRoom,
            int waitingForCheckpoint,
            int waitingForSources,
            int waitingForParents,
            Optional<Instant> oldestUnassigned) {
        static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, Optional.empty());

        /** Returns the number of partitions that may be read, and for which the readers together have no room. */
        int tooMany() {
            return withoutRoom + beyondRoom;
        }

        /**
         * Adds partitions that are read, and wait behind a move-in.
         *
         * @param forCheckpoint those of them that wait for a checkpoint alone
         */
        Counts withMoveIns(int waiting, int forCheckpoint) {
            return new Counts(
                    unassigned,
                    withoutRoom,
                    beyondRoom,
                    waitingForCheckpoint + forCheckpoint,
                    waiting - forCheckpoint,
                    waitingForParents,
                    oldestUnassigned);
        }
    }

    /**
     * A partition that may be read.
     *
     * @param reader the only reader that may read it; empty for any
     */
    private record Candidate(PartitionMetadata partition, OptionalInt reader) {}

    private static final int CROWDED_FROM = 4;
    private static final int CROWDED = 2;

    private final SplitLineage splits;
    private final boolean ordered;
    private final boolean takesTurns;
    private final Map<Integer, Integer> room; // by reader
    private final Map<Integer, Integer> load; // by reader
    private final Map<Integer, List<PartitionSplit>> assigned = new LinkedHashMap<>();
    private int waitingForCheckpoint;

    /**
     * @param ordered whether changes of a key are emitted in order
     * @param takesTurns whether readers get partitions beyond their room
     * @param capacities the number of partitions that each reader can read at the same time
     */
    SplitAssigner(SplitLineage splits, boolean ordered, boolean takesTurns, Map<Integer, Integer> capacities) {
        this.splits = splits;
        this.ordered = ordered;
        this.takesTurns = takesTurns;
        this.room = new LinkedHashMap<>(capacities);
        this.load = new LinkedHashMap<>();
        capacities.keySet().forEach(reader -> load.put(reader, 0));
        for (HeldSplit split : splits.held()) {
            if (!split.isReadToEnd()
                    && split.moveIns().isEmpty()
                    && split.reader().isPresent()) {
                load.computeIfPresent(split.reader().getAsInt(), (reader, count) -> count + 1);
            }
        }
    }

    /** Assigns what may be read, and returns what remains. */
    Counts assign(Lineage lineage) {
        List<Candidate> candidates = Stream.concat(
                        Stream.concat(lineage.claimable().stream(), lineage.waitingForSources().stream())
                                .map(partition -> new Candidate(partition, OptionalInt.empty())),
                        lineage.waitingForParents().stream().flatMap(partition -> ahead(partition, lineage).stream()))
                .sorted(Comparator.comparing(Candidate::partition, OLDEST_FIRST))
                .toList();
        int withoutRoom = 0;
        for (Candidate candidate : candidates) {
            OptionalInt reader = candidate.reader().isPresent() ? candidate.reader() : leastLoaded();
            if (candidate.reader().isPresent() && isCrowded(reader.getAsInt())) {
                waitingForCheckpoint++; // then any reader may read it
            } else if (reader.isPresent() && mayTake(reader.getAsInt())) {
                take(candidate.partition(), reader.getAsInt());
            } else {
                withoutRoom++;
            }
        }
        List<PartitionMetadata> unassigned = lineage.partitions().stream()
                .filter(partition -> !partition.isFinished()
                        && splits.held(partition.token()).isEmpty())
                .toList();
        return new Counts(
                unassigned.size(),
                withoutRoom,
                beyondRoom(),
                waitingForCheckpoint,
                0,
                unassigned.size() - withoutRoom - waitingForCheckpoint,
                unassigned.stream().map(PartitionMetadata::watermark).min(Comparator.naturalOrder()));
    }

    /** Returns the new splits of each reader. */
    Map<Integer, List<PartitionSplit>> assigned() {
        return assigned;
    }

    private Optional<Candidate> ahead(PartitionMetadata partition, Lineage lineage) {
        OptionalInt reader = OptionalInt.empty();
        boolean together = true;
        for (PartitionToken parent : lineage.awaitedPartitions(partition)) {
            Optional<HeldSplit> read = splits.held(parent).filter(HeldSplit::isReadToEnd);
            if (read.isEmpty()) {
                return Optional.empty();
            }
            OptionalInt by = read.get().reader();
            together &= by.isPresent() && (reader.isEmpty() || reader.equals(by));
            reader = by;
        }
        if (!ordered) {
            return Optional.of(new Candidate(partition, OptionalInt.empty()));
        }
        if (!together) {
            waitingForCheckpoint++;
            return Optional.empty();
        }
        return Optional.of(new Candidate(partition, reader));
    }

    private boolean mayTake(int reader) {
        return hasRoom(reader) || (takesTurns && room.containsKey(reader));
    }

    private boolean hasRoom(int reader) {
        return load.getOrDefault(reader, 0) < room.getOrDefault(reader, 0);
    }

    private int beyondRoom() {
        return load.entrySet().stream()
                .mapToInt(entry -> Math.max(0, entry.getValue() - room.getOrDefault(entry.getKey(), 0)))
                .sum();
    }

    /** Returns whether the reader has far more partitions than its share. */
    private boolean isCrowded(int reader) {
        int all = load.values().stream().mapToInt(Integer::intValue).sum();
        return load.getOrDefault(reader, 0) > CROWDED_FROM + CROWDED * all / Math.max(1, load.size());
    }

    private OptionalInt leastLoaded() {
        return load.entrySet().stream()
                .filter(entry -> mayTake(entry.getKey()))
                .min(Comparator.comparing((Map.Entry<Integer, Integer> entry) -> !hasRoom(entry.getKey()))
                        .thenComparing(Map.Entry.comparingByValue())
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(entry -> OptionalInt.of(entry.getKey()))
                .orElse(OptionalInt.empty());
    }

    private void take(PartitionMetadata partition, int reader) {
        assigned.computeIfAbsent(reader, r -> new ArrayList<>()).add(splits.assign(partition, reader));
        load.merge(reader, 1, Integer::sum);
    }

    /**
     * Returns whether everything before the changes after the move is settled, or was emitted by the reader of the
     * partition before them. A source that has lost the move in a gap does not count as emitted, since its keys may have come
     * from any partition.
     */
    static boolean mayProceed(HeldSplit split, MoveIn moveIn, Lineage lineage, SplitLineage splits) {
        return lineage.awaitedSources(split.token(), moveIn).stream()
                .map(source -> emitted(source, split, moveIn, lineage, splits))
                .allMatch(source -> source.isPresent()
                        && split.reader().isPresent()
                        && source.get().isReadBy(split.reader().getAsInt()));
    }

    /** Returns whether readers have emitted everything before those changes, and only a checkpoint is missing. */
    static boolean awaitsCheckpoint(HeldSplit split, MoveIn moveIn, Lineage lineage, SplitLineage splits) {
        return lineage.awaitedSources(split.token(), moveIn).stream()
                .allMatch(source ->
                        emitted(source, split, moveIn, lineage, splits).isPresent());
    }

    /** Returns the source if a reader has emitted everything of it before its move-out. */
    private static Optional<HeldSplit> emitted(
            PartitionToken source, HeldSplit split, MoveIn moveIn, Lineage lineage, SplitLineage splits) {
        return splits.held(source)
                .filter(held -> held.hasEmittedUntil(moveIn.timestamp(), split.token()))
                .filter(held -> lineage.partition(source)
                        .filter(stored -> !stored.hasLost(moveIn.timestamp()))
                        .isPresent());
    }
}
