package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.PartitionControl.KeyRange;
import dev.spream.emulator.control.PartitionControl.PartitionView;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The history of a key range from a start to an end: data change records in commit order, then the records that name the
 * children. It is written under the {@link CommitClock}'s lock and read by any number of queries; every entry has an index
 * that stays the same when older entries are dropped.
 */
final class Partition {
    private static final int DROP_AT_ONCE = 256;

    private final String token;
    private final KeyRange range;
    private final Instant start;
    private final List<String> parents;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by lock.
    private final List<StreamEntry> entries = new ArrayList<>();
    private long dropped;
    private @Nullable Ending ending;
    private boolean released;
    private long wakes;

    /** The first instant after a partition, and what a query says there. */
    record Ending(Instant at, List<ChildRecord> children) {
        Ending {
            children = List.copyOf(children);
        }
    }

    /**
     * What a query finds at its position.
     *
     * @param entries what comes next, up to the query's end
     * @param complete whether nothing up to the query's end can come after these entries
     * @param ending the partition's end, where the query sees it
     * @param lost whether entries at the position were dropped before the query came to them
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

    Optional<Instant> end() {
        lock.lock();
        try {
            return Optional.ofNullable(ending).map(Ending::at);
        } finally {
            lock.unlock();
        }
    }

    PartitionView view() {
        return new PartitionView(token, range, start, end(), parents);
    }

    void append(List<StreamEntry> next) {
        lock.lock();
        try {
            entries.addAll(next);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void end(Instant at, List<ChildRecord> children) {
        lock.lock();
        try {
            ending = new Ending(at, children);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets entries before that time, many at once, so that it may keep a few for longer. */
    void dropBefore(Instant horizon) {
        lock.lock();
        try {
            int expired = firstFrom(horizon);
            if (expired > 0 && (expired >= DROP_AT_ONCE || expired == entries.size())) {
                entries.subList(0, expired).clear();
                dropped += expired;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The index of the first entry that is not earlier than {@code from}. */
    long seek(Instant from) {
        lock.lock();
        try {
            return dropped + firstFrom(from);
        } finally {
            lock.unlock();
        }
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

    /** At most {@code max} entries from an index on, none of them later than {@code until}. */
    Slice read(long index, Instant until, int max) {
        lock.lock();
        try {
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
        } finally {
            lock.unlock();
        }
    }

    /** How often those who wait were woken: read it before looking at what to wait for. */
    long wakes() {
        lock.lock();
        try {
            return wakes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until there is an entry at the index, or the partition ends or is released, or it is woken after {@link #wakes}
     * was read, or time is up.
     */
    void await(long index, long seenWakes, long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long rest = nanos;
            while (!released && wakes == seenWakes && rest > 0 && dropped + entries.size() <= index && ending == null) {
                rest = changed.awaitNanos(rest);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Has everyone look again who waits: time has passed, or something is to go wrong. */
    void wake() {
        lock.lock();
        try {
            wakes++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Lets nobody wait here any more, because the stream is no more. */
    void release() {
        lock.lock();
        try {
            released = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** How many entries are kept. */
    int size() {
        lock.lock();
        try {
            return entries.size();
        } finally {
            lock.unlock();
        }
    }
}
