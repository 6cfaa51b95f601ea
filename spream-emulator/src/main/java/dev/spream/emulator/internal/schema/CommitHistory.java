package dev.spream.emulator.internal.schema;

import com.google.protobuf.Value;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The latest commits of a database, each with its rows as they were before it: what a transaction did not see, and what
 * a read of the past undoes. It has the commits of the last hour, and fewer if their rows exceed {@link #MAX_BYTES}.
 * Safe for use by many threads.
 */
public final class CommitHistory {
    /** Spanner's default version retention period. */
    private static final Duration RETENTION = Duration.ofHours(1);

    /** The limit of the kept rows, in bytes of the heap, about. */
    public static final long MAX_BYTES = 32L << 20;

    private static final int BYTES_OF_A_ROW = 320;
    private static final int BYTES_OF_A_VALUE = 150;

    private final Deque<Entry> entries = new ArrayDeque<>();
    private long bytes;
    private long position;
    private Instant start;

    /** A commit at its position. */
    private record Entry(long position, Former former) {}

    /** The rows that a commit changed, as they were before it; the image of a row that was not there is empty. */
    public record Former(Instant timestamp, Map<RowKey, Map<String, Value>> before, long bytes) {}

    /** @param start the earliest time that can be read */
    public CommitHistory(Instant start) {
        this.start = start;
    }

    /** Returns the number of commits so far. */
    public synchronized long position() {
        return position;
    }

    /** Returns the rows as they were before a commit, for {@link #add}. */
    public static Former before(Commit commit) {
        Map<RowKey, Map<String, Value>> before = new LinkedHashMap<>();
        long size = 0;
        for (RowChange change : commit.changes()) {
            RowKey row = RowKey.of(change.table(), change.row());
            if (before.putIfAbsent(row, change.before()) == null) {
                size += BYTES_OF_A_ROW + size(row.key()) + size(change.before().values());
            }
        }
        return new Former(commit.timestamp(), before, size);
    }

    /** Adds a commit, by itself larger than the limit or not. */
    public synchronized void add(Former former) {
        position++;
        bytes += former.bytes;
        entries.addLast(new Entry(position, former));
        while (!entries.isEmpty() && (bytes > MAX_BYTES || isExpired(entries.getFirst(), former.timestamp))) {
            removeFirst();
        }
    }

    private static long size(Iterable<Value> values) {
        long size = 0;
        for (Value value : values) {
            size += BYTES_OF_A_VALUE
                    + (value.hasListValue() ? size(value.getListValue().getValuesList()) : value.getSerializedSize());
        }
        return size;
    }

    private static boolean isExpired(Entry entry, Instant now) {
        return entry.former.timestamp.isBefore(now.minus(RETENTION));
    }

    private void removeFirst() {
        Former removed = entries.removeFirst().former;
        bytes -= removed.bytes;
        start = removed.timestamp;
    }

    /** Forgets all commits up to now, since their rows do not fit the tables any more. */
    public synchronized void clear(Instant now) {
        entries.clear();
        bytes = 0;
        start = now;
    }

    /** Returns whether a commit after that position changed something that was read; forgotten ones may have. */
    public synchronized boolean changedSince(long position, Predicate<RowKey> read) {
        if (this.position == position) {
            return false;
        }
        if (entries.isEmpty() || entries.getFirst().position > position + 1) {
            return true;
        }
        for (Iterator<Entry> latest = entries.descendingIterator(); latest.hasNext(); ) {
            Entry entry = latest.next();
            if (entry.position <= position) {
                return false;
            }
            if (entry.former.before.keySet().stream().anyMatch(read)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the rows that have changed since that time as they were then, by table; a row that was not there is empty.
     *
     * @return empty if the commits since then are not kept any more
     */
    public synchronized Optional<Map<String, List<FormerRow>>> rowsAt(Instant time, Instant now) {
        if (time.isBefore(start) || !now.minus(RETENTION).isBefore(time)) {
            return Optional.empty();
        }
        Map<RowKey, Map<String, Value>> former = new LinkedHashMap<>();
        for (Entry entry : entries) {
            if (entry.former.timestamp.isAfter(time)) {
                entry.former.before.forEach(former::putIfAbsent);
            }
        }
        Map<String, List<FormerRow>> byTable = new LinkedHashMap<>();
        former.forEach((row, image) ->
                byTable.computeIfAbsent(row.table(), table -> new ArrayList<>()).add(new FormerRow(row.key(), image)));
        return Optional.of(byTable);
    }

    /**
     * A row at an earlier time.
     *
     * @param key the values of its primary key
     * @param image the whole row, or empty if it was not there
     */
    public record FormerRow(List<Value> key, Map<String, Value> image) {}
}
