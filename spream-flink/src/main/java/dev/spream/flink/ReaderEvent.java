package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;

/**
 * A message of a reader to the enumerator. Each may be repeated: a reader repeats what it has not stored as
 * acknowledged after it was restored.
 *
 * <p>A message is sent after the records that it speaks of were emitted, from the task's thread. The enumerator's part of
 * a checkpoint is taken before the readers' parts: a message that it has received is of records before the barrier.
 */
sealed interface ReaderEvent extends SourceEvent {

    /** Splits that a reader was given from a checkpoint, as they were stored: a part of them, before it has started. */
    record Restored(List<PartitionSplit> splits) implements ReaderEvent {
        public Restored {
            splits = List.copyOf(splits);
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }

    /**
     * A reader has started, and has sent all its restored splits.
     *
     * @param capacity the number of partitions that it can read at the same time
     */
    record ReaderStarted(int capacity) implements ReaderEvent {
        public ReaderStarted {
            if (capacity < 1) {
                throw new IllegalArgumentException("capacity is %d, must be 1 or more".formatted(capacity));
            }
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }

    /**
     * A partition has named partitions that continue it, or has started ones. Sent before its progress passes their
     * start; acknowledged by {@link EnumeratorEvent.ChildrenStored}.
     */
    record ChildrenFound(PartitionToken token, ChildPartitionsRecord children) implements ReaderEvent {
        public ChildrenFound {
            requireNonNull(token, "token");
            requireNonNull(children, "children");
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }

    /**
     * Key ranges moved into a partition: it emits no change after the move until {@link EnumeratorEvent.Proceed}. Not sent
     * without an order of keys.
     */
    record MovedIn(PartitionToken token, MoveIn moveIn) implements ReaderEvent {
        public MovedIn {
            requireNonNull(token, "token");
            requireNonNull(moveIn, "moveIn");
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }

    /** Everything of a partition was read and emitted; acknowledged by {@link EnumeratorEvent.EndStored}. */
    record ReadToEnd(SplitProgress progress, PartitionEnd proof) implements ReaderEvent {
        public ReadToEnd {
            requireNonNull(progress, "progress");
            requireNonNull(proof, "proof");
        }

        PartitionToken token() {
            return progress.token();
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }

    /** The places up to which partitions were emitted, of those whose place has changed since the last such message. */
    record Progress(List<SplitProgress> splits) implements ReaderEvent {
        public Progress {
            splits = List.copyOf(splits);
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }
}
