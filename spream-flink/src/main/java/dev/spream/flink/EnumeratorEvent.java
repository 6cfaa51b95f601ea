package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartitionsRecord;
import java.time.Instant;
import org.apache.flink.api.connector.source.SourceEvent;

/** A message of the enumerator to a reader. Each may be repeated; one about a split that the reader does not have is ignored. */
sealed interface EnumeratorEvent extends SourceEvent {

    /**
     * The enumerator has stored the children of this record: the reader drops the record from its split. Flink delivers the
     * message before the barrier of the first checkpoint whose enumerator's part has them.
     */
    record ChildrenStored(PartitionToken token, ChildPartitionsRecord children) implements EnumeratorEvent {
        public ChildrenStored {
            requireNonNull(token, "token");
            requireNonNull(children, "children");
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }

    /** The enumerator has stored the end of the partition: the reader drops the split. */
    record EndStored(PartitionToken token) implements EnumeratorEvent {
        public EndStored {
            requireNonNull(token, "token");
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }

    /** The changes of the partition after that move-in may be emitted: everything from its sources comes before them. */
    record Proceed(PartitionToken token, MoveIn moveIn) implements EnumeratorEvent {
        public Proceed {
            requireNonNull(token, "token");
            requireNonNull(moveIn, "moveIn");
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }

    /**
     * The low watermark of all partitions, whichever reader they are read by: no reader emits a change with an earlier
     * commit timestamp after it has this message, but for those that came again after a failure.
     */
    record LowWatermark(Instant timestamp) implements EnumeratorEvent {
        public LowWatermark {
            requireNonNull(timestamp, "timestamp");
        }

        Object writeReplace() {
            return SerializedEvent.of(this);
        }
    }
}
