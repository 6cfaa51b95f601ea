package dev.spream.api.publish;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The progress of a change of a batch. Confined to the thread that publishes the batch. */
final class ChangeProgress<M> {
    private final DataChangeRecord change;
    private final Set<KeyLane<M>> lanes = new LinkedHashSet<>();
    private int open; // messages that wait or are in flight
    private @Nullable Exception failure;

    ChangeProgress(DataChangeRecord change) {
        this.change = change;
    }

    RecordIdentity identity() {
        return change.identity();
    }

    Set<KeyLane<M>> lanes() {
        return lanes;
    }

    void enter(KeyLane<M> lane, LaneMessage<M> message) {
        lanes.add(lane);
        lane.add(message);
        open++;
    }

    /** Records that a message was confirmed, refused, or will not be sent. */
    void oneLess() {
        open--;
    }

    boolean isDecided() {
        return open == 0;
    }

    /** Records the failure, unless the change failed before; returns whether it had not. */
    boolean fail(Exception cause) {
        boolean first = failure == null;
        failure = first ? cause : failure;
        return first;
    }

    Optional<Exception> failure() {
        return Optional.ofNullable(failure);
    }
}
