package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.PartitionControl.KeyRange;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The history of a key range from a start to an end: data change records in commit order, then the records that name
 * the children. It is written under the {@link CommitClock}'s lock and read by any number of queries; the index of an
 * entry does not change when older entries are dropped.
 */
final class Partition {
    private static final int DROP_AT_ONCE = 256;

    private final String token;
    private final KeyRange range;
    private final Instant start;
    private final List<String> parents;

    private final TimedWait gate = new TimedWait();

    // Guarded by this.
    private final List<StreamEntry> entries = new ArrayList<>();
    private long dropped;
    private @Nullable Ending ending;

    /** The first instant after a partition, and the child records that a query returns there. */
    record Ending(Instant at, List<ChildRecord> children) {
        Ending {
            children = List.copyOf(children);
        }
    }

    /**
     * The entries of a partition at a query's position.
     *
     * @param entries the next entries, up to the query's end
     * @param complete whether nothing up to the query's end can come after these entries
     * @param ending the partition's end, if the query reaches it
     * @param lost whether entries at the position were dropped before the query read them
     */
    record Slice(List<StreamEntry> entries, boolean complete, Optional<Ending> ending, boolean lost) {}

    Partition(String token, KeyRange range, Instant start, List<String> parents) {
        this.token = token;
        this.range = range;
        this.start = start;
        this.parents = List.copyOf(parents);
    }

    String token() {
        return token;
    }

    KeyRange range() {
        return range;
    }

    Instant start() {
        return start;
    }

    synchronized Optional<Instant> end() {
        return Optional.ofNullable(ending).map(Ending::at);
    }

    PartitionView view() {
        return new PartitionView(token, range, start, end(), parents);
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

    void end(Instant at, List<ChildRecord> children) {
        synchronized (this) {
            ending = new Ending(at, children);
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

    /** Returns at most {@code max} entries from an index on, none of them later than {@code until}. */
    synchronized Slice read(long index, Instant until, int max) {
        if (index < dropped) {
            return new Slice(List.of(), false, Optional.empty(), true);
        }
        int from = (int) (index - dropped);
        int to = from;
        while (to < entries.size()
                && to - from < max
                && !entries.get(to).timestamp().isAfter(until)) {
            to++;
        }
        boolean passed = to < entries.size() && entries.get(to).timestamp().isAfter(until);
        boolean endsLater = ending != null && ending.at().isAfter(until);
        Optional<Ending> end = Optional.ofNullable(endsLater ? null : ending);
        boolean complete = passed || (to == entries.size() && ending != null);
        return new Slice(List.copyOf(entries.subList(from, to)), complete, end, false);
    }

    synchronized int size() {
        return entries.size();
    }
}
