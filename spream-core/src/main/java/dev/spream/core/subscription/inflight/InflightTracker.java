package dev.spream.core.subscription.inflight;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The records of one partition in flight, and the safe watermark that follows from them: the timestamp of the last
 * record before the first unsettled one. Safe for use by many threads; no method blocks.
 *
 * <p>Vocabulary: a record is <em>opened</em> when it was read and gets a sequence, from 1 in read order; it is
 * <em>settled</em> once. A <em>mark</em> is a timestamp up to which the partition was read without a record to settle
 * (a heartbeat, child partitions); it belongs to the newest record and takes effect with it.
 *
 * <p>Invariants: sequences below {@code first} are settled; {@code watermark} is the position of sequence {@code
 * first - 1}, or without a maximum the one at which {@code first} was opened; positions grow with sequences, so every
 * record with a commit timestamp before the watermark is settled.
 * Two records may share a timestamp, so nothing is known about the watermark's own timestamp: a reader that resumes
 * there reads it again.
 *
 * <p>Unsettled records live in a ring: memory does not grow with the number of settled records, and marks need none.
 */
public final class InflightTracker {
    private static final int FIRST_CAPACITY = 64;

    private final String partition;
    private final boolean grows;

    // Guarded by this object's monitor, all sections being short and pure.
    private @Nullable Instant[] positions;
    private Instant[] opened; // the position at which each record was opened; kept only if it grows
    private boolean[] settled;
    private long first = 1;
    private long next = 1;
    private Instant watermark;

    public InflightTracker(String partition, int capacity, Instant watermark) {
        this(partition, capacity, false, watermark);
    }

    private InflightTracker(String partition, int capacity, boolean grows, Instant watermark) {
        this.partition = partition;
        this.grows = grows;
        this.positions = new Instant[capacity];
        this.opened = new Instant[grows ? capacity : 0];
        this.settled = new boolean[capacity];
        this.watermark = requireNonNull(watermark, "watermark");
    }

    /**
     * Returns a tracker without a maximum, for records that others limit. Its watermark reaches the first record that is
     * not settled: records of other partitions may wait for that, and this record for them.
     */
    public static InflightTracker unlimited(String partition, Instant watermark) {
        return new InflightTracker(partition, FIRST_CAPACITY, true, watermark);
    }

    /** Opens the next record in read order and returns its sequence. The caller has made sure that there is room. */
    public synchronized long open(Instant commitTimestamp) {
        if (next - first == positions.length && !grow()) {
            throw new IllegalStateException(
                    "[%s] %d records are in flight, which is the maximum".formatted(partition, next - first));
        }
        requireNotBefore(position(), commitTimestamp, "the commit timestamp", next);
        int slot = slot(next);
        positions[slot] = commitTimestamp;
        settled[slot] = false;
        if (grows) {
            opened[slot] = commitTimestamp;
        }
        next++;
        reachFirst();
        return next - 1;
    }

    private void reachFirst() {
        if (grows && first < next && opened[slot(first)].isAfter(watermark)) {
            watermark = opened[slot(first)];
        }
    }

    /**
     * Records that the partition was read up to that time. A mark that is not later than the last position has no
     * effect.
     */
    public synchronized void mark(Instant timestamp) {
        if (!timestamp.isAfter(position())) {
            return;
        }
        if (first == next) {
            watermark = timestamp;
        } else {
            positions[slot(next - 1)] = timestamp;
        }
    }

    /** Settles a record, and moves the watermark over all that are settled without a gap. */
    public synchronized void settle(long sequence) {
        if (sequence < first || sequence >= next || settled[slot(sequence)]) {
            throw new IllegalStateException(
                    "[%s] record %d is not in flight; records in flight are those from %d to %d that are not settled"
                            .formatted(partition, sequence, first, next - 1));
        }
        settled[slot(sequence)] = true;
        while (first < next && settled[slot(first)]) {
            Instant position = requireNonNull(positions[slot(first)]);
            requireNotBefore(watermark, position, "the watermark", first);
            watermark = position;
            positions[slot(first)] = null;
            first++;
        }
        reachFirst();
    }

    /** Returns the sequence of the next record: the boundary between those opened so far and later ones. */
    public synchronized long boundary() {
        return next;
    }

    /** Returns whether every record before that sequence is settled. */
    public synchronized boolean isSettledBefore(long sequence) {
        return first >= sequence;
    }

    public synchronized Instant watermark() {
        return watermark;
    }

    /** Returns the number of slots in use: the records from the first unsettled one on. */
    public synchronized int inFlight() {
        return (int) (next - first);
    }

    private boolean grow() {
        if (!grows) {
            return false;
        }
        @Nullable Instant[] before = positions;
        Instant[] openedBefore = opened;
        boolean[] settledBefore = settled;
        positions = new Instant[2 * before.length];
        opened = new Instant[positions.length];
        settled = new boolean[positions.length];
        for (long sequence = first; sequence < next; sequence++) {
            positions[slot(sequence)] = before[(int) (sequence % before.length)];
            opened[slot(sequence)] = openedBefore[(int) (sequence % before.length)];
            settled[slot(sequence)] = settledBefore[(int) (sequence % before.length)];
        }
        return true;
    }

    private Instant position() {
        return first == next ? watermark : requireNonNull(positions[slot(next - 1)]);
    }

    private int slot(long sequence) {
        return (int) (sequence % positions.length);
    }

    private void requireNotBefore(Instant earlier, Instant later, String what, long record) {
        if (later.isBefore(earlier)) {
            throw new IllegalStateException(
                    "[%s] %s goes back from %s to %s at record %d".formatted(partition, what, earlier, later, record));
        }
    }
}
