package dev.spream.sink.files;

import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A check that the changes of each partition come in the order in which it is read, under each lease anew. Another order
 * would lose changes: positions cover everything before them. Guarded by the caller.
 */
final class ReadOrder {
    private static final int CHECKED_BEFORE_PRUNING = 10_000;

    private final Map<PartitionToken, Last> last = new HashMap<>();

    /** @throws IllegalStateException if the change is not behind the last one of its partition and epoch */
    void require(PendingChange change) {
        if (change.isReplay()) {
            return;
        }
        Last before = last.get(change.partition());
        if (before != null && before.epoch == change.epoch() && !before.isBefore(change.place())) {
            throw new IllegalStateException(
                    "[%s] the change %s/%s/%s came after %s of the same partition and lease, but this sink needs the order in which a partition is read: set ordering=partition, and transaction-mode=off or commit-order. Nothing after the last flush is committed"
                            .formatted(
                                    change.partition().abbreviated(),
                                    change.at(),
                                    change.place().transaction(),
                                    change.place().sequence(),
                                    before.at));
        }
        if (before != null && before.epoch > change.epoch()) {
            return; // a call of a lease that was lost
        }
        if (before == null || before.epoch != change.epoch()) {
            before = new Last(change.epoch());
            last.put(change.partition(), before);
        }
        before.advance(change.place());
    }

    /** Forgets partitions of which nothing came since that time; they are checked anew then. */
    void prune(Instant until) {
        if (last.size() > CHECKED_BEFORE_PRUNING) {
            last.values().removeIf(one -> one.at.isBefore(until));
        }
    }

    private static final class Last {
        private final long epoch;
        private Instant at = Instant.MIN;
        private final Map<String, String> sequences = new HashMap<>();

        Last(long epoch) {
            this.epoch = epoch;
        }

        boolean isBefore(Place place) {
            if (!place.at().equals(at)) {
                return at.isBefore(place.at());
            }
            @Nullable String sequence = sequences.get(place.transaction());
            return sequence == null || sequence.compareTo(place.sequence()) < 0;
        }

        void advance(Place place) {
            if (!place.at().equals(at)) {
                at = place.at();
                sequences.clear();
            }
            sequences.put(place.transaction(), place.sequence());
        }
    }
}
