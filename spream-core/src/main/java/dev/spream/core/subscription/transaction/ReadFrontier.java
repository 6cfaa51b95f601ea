package dev.spream.core.subscription.transaction;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionPosition;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The time up to which each unfinished partition of a subscription has been read. Every change before the earliest of
 * them was read. Not safe for use by many threads.
 *
 * <p>A partition that continues others is added before those are read past its start, so the earliest time never passes a
 * partition that is not known yet.
 */
final class ReadFrontier {
    /** The first lineage may have been read before a partition was added, the second one was not. */
    private static final int MISSED_LINEAGES = 2;

    private static final Comparator<PartitionPosition> ORDER =
            Comparator.comparing(PartitionPosition::timestamp).thenComparing(PartitionPosition::partition);

    private final Map<PartitionToken, PartitionPosition> positions = new HashMap<>();
    private final TreeSet<PartitionPosition> earliest = new TreeSet<>(ORDER);
    private final Set<PartitionToken> ended = new HashSet<>(); // read to their ends here, and not seen as finished yet
    private final Set<PartitionToken> reading = new HashSet<>();
    private final Map<PartitionToken, Integer> added = new HashMap<>(); // and in none of that many lineages since
    private boolean known;

    /** Takes a lineage: what is finished is read, and what is unknown or not read here begins at its watermark. */
    void observe(Lineage lineage) {
        Set<PartitionToken> unfinished = new HashSet<>();
        for (PartitionMetadata partition : lineage.partitions()) {
            PartitionToken token = partition.token();
            added.remove(token);
            if (!partition.isFinished()) {
                unfinished.add(token);
                if (partition.owner().isEmpty()) {
                    ended.remove(token); // it is read on after an added snapshot
                }
                // Rows of an added snapshot wait for the end of all others, and so for transactions at their time.
                if (!ended.contains(token) && !reading.contains(token) && !token.isOfAddedSnapshot()) {
                    set(token, partition.discoveredUntil());
                }
            }
        }
        ended.retainAll(unfinished);
        added.replaceAll((token, lineages) -> lineages + 1);
        added.values().removeIf(lineages -> lineages >= MISSED_LINEAGES);
        positions.keySet().stream()
                .filter(token -> !unfinished.contains(token) && !reading.contains(token) && !added.containsKey(token))
                .toList()
                .forEach(this::remove);
        known = true;
    }

    /** Adds a partition that is going to be read, unless it is known. */
    void add(PartitionToken partition, Instant start) {
        if (!positions.containsKey(partition) && !ended.contains(partition)) {
            added.put(partition, 0);
            set(partition, start);
        }
    }

    /** Notes that this process begins to read a partition. */
    void begin(PartitionToken partition, Instant watermark) {
        reading.add(partition);
        ended.remove(partition);
        PartitionPosition known = positions.get(partition); // earlier, where it may have ended in a gap
        if (known == null || known.timestamp().isAfter(watermark)) {
            set(partition, watermark);
        }
    }

    void advance(PartitionToken partition, Instant timestamp) {
        PartitionPosition position = positions.get(partition);
        if (position != null && timestamp.isAfter(position.timestamp())) {
            set(partition, timestamp);
        }
    }

    /** Notes that a partition has been read to its end. */
    void end(PartitionToken partition) {
        reading.remove(partition);
        ended.add(partition);
        remove(partition);
    }

    /** Notes that a partition is no longer read here; unless it had been read to its end, it continues at that time. */
    void leave(PartitionToken partition, Instant watermark, boolean finished) {
        reading.remove(partition);
        if (!finished) {
            ended.remove(partition);
            set(partition, watermark);
        }
    }

    private void set(PartitionToken partition, Instant timestamp) {
        remove(partition);
        PartitionPosition position = new PartitionPosition(partition, timestamp);
        positions.put(partition, position);
        earliest.add(position);
    }

    private void remove(PartitionToken partition) {
        PartitionPosition position = positions.remove(partition);
        if (position != null) {
            earliest.remove(position);
        }
    }

    /** Returns the partition that has been read least far; empty if every partition is read to its end. */
    Optional<PartitionPosition> lagging() {
        return earliest.isEmpty() ? Optional.empty() : Optional.of(earliest.first());
    }

    /** Returns the time before which every change was read; {@link Instant#MAX} if every partition is read to its end. */
    Optional<Instant> low() {
        return !known
                ? Optional.empty()
                : Optional.of(
                        earliest.isEmpty() ? Instant.MAX : earliest.first().timestamp());
    }

    /** Returns whether no partition is behind that one. */
    boolean isLast(PartitionToken partition) {
        PartitionPosition position = positions.get(partition);
        return position == null
                || !position.timestamp().isAfter(earliest.first().timestamp());
    }
}
