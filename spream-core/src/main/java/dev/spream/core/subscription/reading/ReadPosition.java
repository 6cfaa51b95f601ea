package dev.spream.core.subscription.reading;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The position to which the reader of one partition has read in this process, and the changes it has dispatched
 * there: a query resumes from it, inclusive, and repeated changes are recognised. Confined to the reader's thread, but for
 * {@link #timestamp}.
 *
 * <p>Spanner returns the changes of a partition in commit order, and a heartbeat means that everything before it was
 * returned. A change returned after either of these is a repetition only if it was dispatched. At the timestamp of
 * the latest change this is known exactly; of earlier changes the last {@value #REMEMBERED} are remembered.
 * Several transactions may have one timestamp: at that of the latest change, changes are taken in the order in which they are
 * returned, whatever their record sequences are, unless keys have moved at that timestamp.
 */
public final class ReadPosition {

    /** A change's place among everything that the partition has returned. */
    public enum Arrival {
        IN_ORDER,
        /** It was settled before this reader began, or was returned to it before. */
        REPEATED,
        /** It was settled at the start, and is returned to this reader for the first time. */
        SETTLED,
        /**
         * It is new, and after a heartbeat or a child partitions record, but not after a later change: its key's
         * order holds.
         */
        BEHIND_MARK,
        /** It is not known to be a repetition, and a later change was dispatched before. */
        BEHIND_CHANGE
    }

    /** Number of the latest changes that are recognised. */
    public static final int REMEMBERED = RecentChanges.LIMIT;

    private Optional<String> settledSequence;
    private final Set<RecordIdentity> settledAtStart = new HashSet<>(); // those that were returned
    private final Set<RecordIdentity> seenAtLatestChange = new HashSet<>();
    private final RecentChanges recent = new RecentChanges();
    private Instant start; // with settledSequence before everything that may be new
    private volatile Instant timestamp;
    private @Nullable Instant latestChange;

    public ReadPosition(Instant start) {
        this(start, Optional.empty());
    }

    /**
     * Creates a position.
     *
     * @param start changes before it are settled
     * @param settledSequence changes at the start with an earlier record sequence are settled too
     */
    public ReadPosition(Instant start, Optional<String> settledSequence) {
        this(start, settledSequence, Set.of());
    }

    /**
     * Creates a position at which changes were read before.
     *
     * @param read the changes at the start that were read, besides the settled ones
     */
    public ReadPosition(Instant start, Optional<String> settledSequence, Set<RecordIdentity> read) {
        this.settledSequence = settledSequence;
        this.start = start;
        this.timestamp = start;
        if (!read.isEmpty()) {
            latestChange = start;
            seenAtLatestChange.addAll(read);
            read.forEach(recent::add);
        }
    }

    public Instant timestamp() {
        return timestamp;
    }

    /** Returns the commit timestamp of the latest change that was read; the start if none was. */
    public Instant latestChange() {
        return latestChange == null ? start : latestChange;
    }

    /** Classifies a returned change; unless it is repeated, or after a later change, it counts as read now. */
    public Arrival arrive(DataChangeRecord change) {
        if (isSettledAtStart(change)) {
            return settledAtStart.add(change.identity()) ? Arrival.SETTLED : Arrival.REPEATED;
        }
        return arriveUnplaced(change);
    }

    /** Classifies a change whose timestamp or record sequence is not known: it does not count as settled at the start. */
    Arrival arriveUnplaced(DataChangeRecord change) {
        Instant committed = change.commitTimestamp();
        if (committed.isBefore(start)) {
            return Arrival.REPEATED;
        }
        if (committed.isBefore(latestChange())) {
            return recent.contains(change.identity()) ? Arrival.REPEATED : Arrival.BEHIND_CHANGE;
        }
        if (!committed.equals(latestChange)) {
            latestChange = committed;
            seenAtLatestChange.clear();
        }
        if (!seenAtLatestChange.add(change.identity())) {
            return Arrival.REPEATED;
        }
        recent.add(change.identity());
        if (committed.isBefore(timestamp)) {
            return Arrival.BEHIND_MARK;
        }
        timestamp = committed;
        return Arrival.IN_ORDER;
    }

    private boolean isSettledAtStart(DataChangeRecord change) {
        return settledSequence.isPresent()
                && change.commitTimestamp().equals(start)
                && change.recordSequence().compareTo(settledSequence.get()) < 0;
    }

    /** Records that the partition was read up to that time. */
    public void advance(Instant to) {
        if (to.isAfter(timestamp)) {
            timestamp = to;
        }
    }

    /** Moves the position: everything before it is settled, or recorded as lost. */
    public void skipTo(Instant to) {
        advance(to);
        start = timestamp;
        settledSequence = Optional.empty();
    }
}
