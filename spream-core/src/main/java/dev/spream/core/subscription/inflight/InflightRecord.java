package dev.spream.core.subscription.inflight;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A change in flight: its place among the others, and its attempts so far. */
public final class InflightRecord {
    private static final int RECORD_BYTES = 512;
    private static final int COLUMN_BYTES = 96;
    private static final int MOD_BYTES = 192;

    private final long sequence;
    private final DataChangeRecord change;
    private final Set<?> lanes;
    private final long bytes;

    // Guarded by the monitor of the lanes.
    int waitingFor;
    boolean taken;
    boolean alone;
    boolean settled;
    boolean entered;
    boolean left;

    List<InflightRecord> followers = List.of();

    /** Records of other partitions that follow it. */
    List<PerKeyQueue.Follower> others = List.of();

    // Confined to the thread that delivers it; handed on under the dispatcher's lock.
    private int attempts;
    private int uncounted;
    private @Nullable Instant firstFailureAt;
    private @Nullable Throwable unjudgedFailure;
    private @Nullable Set<RecordKey> keys;

    /**
     * Creates a record.
     *
     * @param sequence its place in read order
     * @param lanes the lanes that it shares with records that it must not overtake
     * @param bytes about how much memory it takes
     */
    public InflightRecord(long sequence, DataChangeRecord change, Set<?> lanes, long bytes) {
        this.sequence = sequence;
        this.change = change;
        this.lanes = lanes;
        this.bytes = bytes;
    }

    public long sequence() {
        return sequence;
    }

    public DataChangeRecord change() {
        return change;
    }

    public Set<?> lanes() {
        return lanes;
    }

    public long bytes() {
        return bytes;
    }

    /** Returns the primary keys of its rows. */
    public Set<RecordKey> keys() {
        Set<RecordKey> known = keys;
        if (known == null) {
            known = RecordKey.of(change);
            keys = known;
        }
        return known;
    }

    /** Counts one more attempt, and returns which it is. */
    public int nextAttempt() {
        return ++attempts;
    }

    /** Removes the last attempt from the count, because it did not reach the record. */
    public void notHandled() {
        attempts--;
    }

    public int attempts() {
        return attempts;
    }

    /** Excludes the last attempt from those that count towards a limit. */
    public void doNotCount() {
        uncounted++;
    }

    public int countedAttempts() {
        return attempts - uncounted;
    }

    /** Returns the time when the first attempt failed; that time if none failed before. */
    public Instant firstFailureAt(Instant now) {
        Instant first = firstFailureAt;
        if (first == null) {
            first = now;
            firstFailureAt = now;
        }
        return first;
    }

    /** Records that the last attempt failed. The decision on it is pending. */
    public void failed(Throwable cause) {
        unjudgedFailure = cause;
    }

    public @Nullable Throwable takeUnhandledFailure() {
        Throwable failure = unjudgedFailure;
        unjudgedFailure = null;
        return failure;
    }

    void follow(InflightRecord before) {
        if (before.followers.isEmpty()) {
            before.followers = new ArrayList<>(2);
        }
        before.followers.add(this);
        waitingFor++;
    }

    /** Returns whether it is settled; reliable only on the thread that settled it. */
    public boolean isSettled() {
        return settled;
    }

    /**
     * Returns the approximate memory of a change in bytes, as text: values are parsed only when a consumer reads them.
     */
    public static long sizeOf(DataChangeRecord change) {
        long bytes = RECORD_BYTES + (long) COLUMN_BYTES * change.columnTypes().size();
        for (Mod mod : change.mods()) {
            bytes += MOD_BYTES
                    + mod.keys().toString().length()
                    + mod.newValues().toString().length()
                    + mod.oldValues().toString().length();
        }
        return bytes;
    }
}
