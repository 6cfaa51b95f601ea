package dev.spream.flink;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A partition that a reader has, as far as the enumerator knows it. Confined to the enumerator's thread. */
final class HeldSplit {
    private final PartitionLease lease;
    private final Deque<MoveIn> moveIns = new ArrayDeque<>();
    private OptionalInt reader;
    private SplitProgress settled;
    private SplitProgress emitted;
    private @Nullable PartitionEnd end;

    /** @param reader the subtask that reads it; empty until the restored reader has reported */
    HeldSplit(PartitionLease lease, SplitProgress settled, OptionalInt reader) {
        this.lease = lease;
        this.settled = settled;
        this.emitted = settled;
        this.reader = reader;
    }

    PartitionToken token() {
        return lease.token();
    }

    PartitionLease lease() {
        return lease;
    }

    OptionalInt reader() {
        return reader;
    }

    boolean isReadBy(int subtask) {
        return reader.isPresent() && reader.getAsInt() == subtask;
    }

    void readBy(int subtask) {
        reader = OptionalInt.of(subtask);
    }

    SplitProgress emitted() {
        return emitted;
    }

    Instant position() {
        return emitted.position();
    }

    void emitted(SplitProgress progress) {
        if (!progress.position().isBefore(emitted.position())) {
            emitted = progress;
        }
    }

    void settled(SplitProgress progress) {
        settled = progress;
        emitted(progress);
    }

    /** Returns whether something was emitted that is not settled. */
    boolean isAhead() {
        return end != null || !emitted.equals(settled);
    }

    Optional<PartitionEnd> end() {
        return Optional.ofNullable(end);
    }

    /** Returns whether everything of it was read and emitted. */
    boolean isReadToEnd() {
        return end != null;
    }

    void readToEnd(PartitionEnd proof) {
        end = proof;
    }

    /** Forgets what a reader has emitted that is not settled: it failed, and emits it again. */
    void readAgain() {
        emitted = settled;
        end = null;
        moveIns.clear();
    }

    /** Returns the move-ins that its reader waits for, in order of time. */
    Deque<MoveIn> moveIns() {
        return moveIns;
    }

    /** Returns whether its reader has emitted everything before the departure of keys to that partition. */
    boolean hasEmittedUntil(Instant at, PartitionToken destination) {
        return isReadToEnd() || Lineage.isPastMoveOut(position(), emitted.moveOuts(), at, destination);
    }
}
