package dev.spream.flink;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A split while it is read: it follows what is emitted. Confined to the task's thread. */
final class SplitState {
    private final PartitionSplit start;
    private final Set<RecordIdentity> emitted;
    private final List<ChildPartitionsRecord> children;
    private Instant position;
    private @Nullable MoveOuts moveOuts;
    private @Nullable MoveIn moveIn;
    private long moveInNumber; // by which the reading knows it
    private @Nullable PartitionEnd end;
    private boolean progressed;

    SplitState(PartitionSplit split) {
        this.start = split;
        this.position = split.position();
        this.emitted = new HashSet<>(split.emitted());
        this.moveOuts = split.moveOuts().orElse(null);
        this.moveIn = split.moveIn().orElse(null);
        this.moveInNumber = SplitReading.RESTORED_MOVE_IN;
        this.children = new ArrayList<>(split.children());
        this.end = split.end().orElse(null);
    }

    PartitionToken token() {
        return start.token();
    }

    Instant position() {
        return position;
    }

    void emitted(DataChangeRecord change) {
        readUpTo(change.commitTimestamp());
        if (token().isOfSnapshot()) {
            emitted.clear(); // rows come in the order of their sequences: the last one stands for all before it
        }
        emitted.add(change.identity());
    }

    void readUpTo(Instant timestamp) {
        if (timestamp.isAfter(position)) {
            position = timestamp;
            emitted.clear();
            moveOuts = null;
            progressed = true;
        }
    }

    void found(ChildPartitionsRecord record) {
        if (!children.contains(record)) {
            children.add(record);
        }
    }

    void stored(ChildPartitionsRecord record) {
        children.remove(record);
    }

    /**
     * Records moved key ranges; returns the move-in to wait for, if there is one.
     *
     * @param number the number of the move-in; 0 if nothing waits for it
     */
    Optional<MoveIn> moved(PartitionEventRecord event, long number) {
        readUpTo(event.commitTimestamp());
        if (!event.moveOutDestinations().isEmpty()) {
            MoveOuts more = new MoveOuts(event.recordSequence(), tokens(event.moveOutDestinations()));
            moveOuts = moveOuts == null ? more : moveOuts.and(more);
            progressed = true;
        }
        if (number == 0) {
            return Optional.empty();
        }
        moveInNumber = number;
        Stream<PartitionToken> earlier =
                Optional.ofNullable(moveIn).filter(known -> known.timestamp().equals(event.commitTimestamp())).stream()
                        .flatMap(known -> known.sources().stream());
        moveIn = new MoveIn(
                event.commitTimestamp(),
                Stream.concat(earlier, tokens(event.moveInSources()).stream())
                        .distinct()
                        .toList());
        return Optional.of(moveIn);
    }

    private static List<PartitionToken> tokens(List<String> names) {
        return names.stream().map(PartitionToken::new).toList();
    }

    /** Ends the wait for that move-in, if it is the one that the split waits for; returns its number. */
    OptionalLong proceed(MoveIn over) {
        if (!over.equals(moveIn)) {
            return OptionalLong.empty();
        }
        moveIn = null;
        return OptionalLong.of(moveInNumber);
    }

    void ended(PartitionEnd proof) {
        readUpTo(proof.at());
        end = proof;
    }

    boolean isEnded() {
        return end != null;
    }

    /** Returns whether the position or its move-outs have changed since the last call. */
    boolean takeProgressed() {
        boolean was = progressed;
        progressed = false;
        return was;
    }

    boolean hasProgressed() {
        return progressed;
    }

    SplitProgress progress() {
        return new SplitProgress(token(), position, Optional.ofNullable(moveOuts), start.gaps());
    }

    PartitionSplit split() {
        return new PartitionSplit(
                token(),
                start.query(),
                start.startTimestamp(),
                position,
                emitted,
                Optional.ofNullable(moveOuts),
                Optional.ofNullable(moveIn),
                children,
                Optional.ofNullable(end),
                start.gaps());
    }
}
