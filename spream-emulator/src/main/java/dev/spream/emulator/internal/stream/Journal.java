package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.PartitionControl.KeyRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The records that a commit or a change of partitions adds to a stream, at one timestamp. Each has a sequence, which is
 * also its place in its partition. Queries see nothing of it before {@link #publish}. Confined to a commit or a cut,
 * which the clock runs one at a time.
 */
final class Journal {
    private final Instant at;
    private final RecordEncoder encoder;
    private final Map<Partition, List<StreamRecord>> records = new LinkedHashMap<>();
    private final Map<Partition, Integer> closing = new HashMap<>();
    private final List<KeyRange> moved = new ArrayList<>();
    private int next;

    /** @param firstSequence the sequence of its first record */
    Journal(Instant at, int firstSequence, RecordEncoder encoder) {
        this.at = at;
        this.next = firstSequence;
        this.encoder = encoder;
    }

    Instant at() {
        return at;
    }

    /** Returns the sequence of the next record. */
    int nextSequence() {
        return next++;
    }

    /** Returns the number of sequences that are taken. */
    int sequences() {
        return next;
    }

    /**
     * Records that ranges move. A key moves at most once at a timestamp: the events of two moves would not tell readers
     * which of them came first.
     *
     * @throws IllegalStateException if some of these keys have moved before
     */
    void move(List<KeyRange> ranges) {
        if (ranges.stream().anyMatch(range -> moved.stream().anyMatch(range::overlaps))) {
            throw new IllegalStateException("keys of " + ranges + " have already moved at " + at);
        }
        moved.addAll(ranges);
    }

    void add(Partition partition, StreamRecord record) {
        records.computeIfAbsent(partition, each -> new ArrayList<>()).add(record);
    }

    /** Ends the partition at this timestamp, with these records as its last. */
    void end(Partition partition, List<? extends StreamRecord> last) {
        last.forEach(record -> add(partition, record));
        closing.put(partition, last.size());
    }

    void publish() {
        records.forEach((partition, added) -> {
            List<StreamEntry> entries = added.stream()
                    .sorted(Comparator.comparingInt(StreamRecord::sequence))
                    .map(record -> new StreamEntry(record, encoder))
                    .toList();
            Integer last = closing.get(partition);
            if (last == null) {
                partition.append(entries);
            } else {
                partition.end(at, entries, last);
            }
        });
    }
}
