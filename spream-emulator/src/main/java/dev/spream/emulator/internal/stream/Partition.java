package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.PartitionControl.KeyRange;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The history of a set of key ranges from a start to an end: records in the order of their timestamps. The last ones
 * close it: with immutable key ranges, the records that name the children; with mutable ones, the end record. It is
 * written under the {@link StreamClock}'s lock and read by any number of queries; the index of an entry does not change
 * when older entries are dropped.
 */
final class Partition {
    private static final int DROP_AT_ONCE = 256;

    private final String token;
    private final Instant start;
    private final List<String> parents;

    private final TimedWait gate = new TimedWait();

    // Guarded by this.
    private final List<StreamEntry> entries = new ArrayList<>();
    private List<KeyRange> ranges = List.of();
    private long dropped;
    private @Nullable Ending ending;

    /** The first instant after a partition, and the number of the records that close it. */
    private record Ending(Instant at, int closing) {}

    /**
     * The entries of a partition at a query's position: data change records, or one of the others.
     *
     * @param entries the next entries, up to the query's end
     * @param closing whether these entries close the partition
     * @param complete whether nothing up to the query's end can come after these entries
     * @param lost whether entries at the position were dropped before the query read them
     */
    record Slice(List<StreamEntry> entries, boolean closing, boolean complete, boolean lost) {}

    Partition(String token, Instant start, List<String> parents) {
        this.token = token;
        this.start = start;
        this.parents = List.copyOf(parents);
    }

    String token() {
        return token;
    }

    Instant start() {
        return start;
    }

    synchronized Optional<Instant> end() {
        return Optional.ofNullable(ending).map(Ending::at);
    }

    /** Returns the ranges that it contains, or contained last. */
    synchronized List<KeyRange> ranges() {
        return ranges;
    }

    synchronized void contain(List<KeyRange> others) {
        ranges = List.copyOf(others);
    }

    PartitionView view() {
        return new PartitionView(token, ranges(), start, end(), parents);
    }

    /** Returns the gate of queries that have read everything: a new entry and the end wake them. */
    TimedWait gate() {
        return gate;
    }

    void append(List<StreamEntry> next) {
        synchronized (this) {
            entries.addAll(next);
        }
        gate.wake();
    }

    /** Appends the last entries, of which {@code closing} close the partition. */
    void end(Instant at, List<StreamEntry> next, int closing) {
        synchronized (this) {
            entries.addAll(next);
            ending = new Ending(at, closing);
        }
        gate.wake();
    }

    /** Drops entries before that time, in batches, so that a few may be kept for longer. */
    synchronized void dropBefore(Instant horizon) {
        int expired = firstFrom(horizon);
        if (expired > 0 && (expired >= DROP_AT_ONCE || expired == entries.size())) {
            entries.subList(0, expired).clear();
            dropped += expired;
        }
    }

    /** Returns the index of the first entry that is not earlier than {@code from}. */
    synchronized long seek(Instant from) {
        return dropped + firstFrom(from);
    }

    private int firstFrom(Instant from) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries.get(middle).timestamp().isBefore(from)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * Returns whether an initial query with that start names the partition: whether it has changes from then on, or may
     * have some.
     */
    synchronized boolean isAliveAt(Instant instant) {
        if (start.isAfter(instant)) {
            return false;
        }
        return ending == null
                || ending.at().isAfter(instant)
                || (ending.at().equals(instant)
                        && entries.subList(firstFrom(instant), entries.size()).stream()
                                .anyMatch(StreamEntry::isData));
    }

    /** Returns whether the entry before that index is one of those that close the partition. */
    synchronized boolean isClosedBefore(long index) {
        return isClosing((int) (index - dropped) - 1);
    }

    private boolean isClosing(int place) {
        return ending != null && place >= entries.size() - ending.closing();
    }

    /** Returns at most {@code max} entries from an index on, none of them later than {@code until}. */
    synchronized Slice read(long index, Instant until, int max) {
        if (index < dropped) {
            return new Slice(List.of(), false, false, true);
        }
        int from = (int) (index - dropped);
        int to = from;
        while (to < entries.size()
                && to - from < max
                && !entries.get(to).timestamp().isAfter(until)
                && (to == from || (entries.get(from).isData() && entries.get(to).isData()))) {
            to++;
        }
        boolean passed = to < entries.size() && entries.get(to).timestamp().isAfter(until);
        boolean complete = passed || (to == entries.size() && ending != null);
        return new Slice(List.copyOf(entries.subList(from, to)), to > from && isClosing(from), complete, false);
    }

    synchronized int size() {
        return entries.size();
    }
}
