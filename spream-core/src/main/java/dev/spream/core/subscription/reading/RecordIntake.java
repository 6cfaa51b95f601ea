package dev.spream.core.subscription.reading;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.UndecodableChange;
import dev.spream.core.subscription.reading.ReadPosition.Arrival;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one partition in read order: passes those that were not read before to the handler, and moves the
 * position with each. Remembers what the current query brought. Confined to the reading's thread.
 */
final class RecordIntake {
    /** The number of living partitions that one call stores: a transaction of a storage has its limits. */
    private static final int STORED_AT_ONCE = 1_000;

    private static final Logger log = LoggerFactory.getLogger(PartitionReading.class);

    private final String label;
    private final RecordHandler handler;
    private final ReadPosition position;
    private final Instant start;
    private final Set<PartitionToken> children = new LinkedHashSet<>();
    private Instant childrenStart;
    private @Nullable PartitionEventRecord latestEvent;
    private final Map<String, PartitionEventRecord> takenAtLatest = new HashMap<>(); // events of its time, by sequence
    private Instant changedAt = Instant.MIN; // the timestamp and the record sequence of the latest change
    private String changeSequence = "";
    private @Nullable PartitionEnd end;
    private Instant livingAt = Instant.MIN; // partitions that started before were found, or have ended

    // Of the current query.
    private boolean broughtChildren;
    private boolean broughtChanges;
    private boolean broughtHeartbeats;

    RecordIntake(String label, ReadPosition position, RecordHandler handler) {
        this.label = label;
        this.position = position;
        this.handler = handler;
        this.start = position.timestamp();
        this.childrenStart = start;
    }

    /** Returns the timestamp up to which the partition has been read, at which the next query starts, inclusive. */
    Instant position() {
        return position.timestamp();
    }

    void startQuery() {
        broughtChildren = false;
        broughtChanges = false;
        broughtHeartbeats = false;
    }

    /**
     * Takes a record.
     *
     * @return false if the partition has ended; or if the reading has to stop: the record was not taken
     */
    boolean take(ChangeRecord record) throws InterruptedException {
        switch (record) {
            case DataChangeRecord change -> {
                return !isNew(change, arrive(change)) || handler.change(change, position.timestamp());
            }
            case HeartbeatRecord heartbeat -> {
                mark(heartbeat.timestamp());
                broughtHeartbeats = true;
                handler.idle();
            }
            case ChildPartitionsRecord childPartitions -> take(childPartitions);
            case PartitionStartRecord started -> {
                if (!started.startTimestamp().isBefore(livingAt)) {
                    take(started(started));
                }
            }
            case PartitionEventRecord event -> move(event);
            case PartitionEndRecord endRecord -> {
                mark(endRecord.endTimestamp());
                end = PartitionEnd.partitionEnd(
                        endRecord.endTimestamp(),
                        endRecord.endTimestamp().equals(childrenStart) ? List.copyOf(children) : List.of());
                return false;
            }
        }
        return true;
    }

    /** Takes the partitions of an initial query after a gap; returns false if the reading has to stop. */
    boolean takeLiving(List<String> living, Instant at, PartitionToken itself) throws InterruptedException {
        broughtChildren = true;
        List<String> others =
                living.stream().filter(token -> !token.equals(itself.value())).toList();
        for (int i = 0; i < others.size(); i += STORED_AT_ONCE) {
            List<String> some = others.subList(i, Math.min(i + STORED_AT_ONCE, others.size()));
            if (!handler.children(started(new PartitionStartRecord(at, "", some)))) {
                return false;
            }
        }
        return true;
    }

    /** Notes that all partitions that live at that time, the end of a gap, were taken. */
    void foundLiving(Instant at) {
        livingAt = at;
    }

    private void take(ChildPartitionsRecord record) throws InterruptedException {
        if (!handler.children(record)) {
            return;
        }
        addChildren(
                record.startTimestamp(),
                record.childPartitions().stream()
                        .map(child -> new PartitionToken(child.token()))
                        .toList());
        broughtChildren = true;
        mark(record.startTimestamp());
    }

    private static ChildPartitionsRecord started(PartitionStartRecord start) {
        return new ChildPartitionsRecord(
                start.startTimestamp(),
                start.recordSequence(),
                start.partitionTokens().stream()
                        .map(token -> new ChildPartition(token, List.of()))
                        .toList());
    }

    /** Takes moved key ranges, unless they were taken before: queries start inclusive, and servers repeat events. */
    private void move(PartitionEventRecord event) throws InterruptedException {
        if (isTaken(event)) {
            return;
        }
        if (latestEvent == null || !latestEvent.commitTimestamp().equals(event.commitTimestamp())) {
            takenAtLatest.clear();
        }
        requireOneDeparture(event);
        takenAtLatest.put(event.recordSequence(), event);
        latestEvent = event;
        if (!event.moveOutDestinations().isEmpty()) {
            addChildren(
                    event.commitTimestamp(),
                    event.moveOutDestinations().stream()
                            .map(PartitionToken::new)
                            .toList());
        }
        handler.moved(event);
        position.advance(event.commitTimestamp());
    }

    private boolean isTaken(PartitionEventRecord event) {
        PartitionEventRecord latest = latestEvent;
        if (latest == null) {
            return event.commitTimestamp().isBefore(start);
        }
        int order = event.commitTimestamp().compareTo(latest.commitTimestamp());
        if (order == 0 && takenAtLatest.containsKey(event.recordSequence())) {
            return true;
        }
        if (order == 0 && event.recordSequence().compareTo(latest.recordSequence()) < 0) {
            throw handler.unreadable(outOfOrder(event, latest));
        }
        return order < 0;
    }

    /** Requires that no change is between two moves of one time to the same partition: nothing tells them apart. */
    private void requireOneDeparture(PartitionEventRecord event) {
        if (handler.keepsOrder()
                && changedAt.equals(event.commitTimestamp())
                && takenAtLatest.values().stream()
                        .filter(earlier -> earlier.recordSequence().compareTo(changeSequence) < 0)
                        .anyMatch(earlier ->
                                !Collections.disjoint(earlier.moveOutDestinations(), event.moveOutDestinations()))) {
            throw handler.unreadable(new SourceException(
                    SourceException.Kind.FATAL,
                    "the event %s of %s moves keys to a partition to which others moved at the same time, with a change between: the order of those keys may not have been kept"
                            .formatted(event.recordSequence(), event.commitTimestamp()),
                    null));
        }
    }

    private static SourceException outOfOrder(PartitionEventRecord event, PartitionEventRecord latest) {
        return new SourceException(
                SourceException.Kind.FATAL,
                "the server returned the event %s of %s after the event %s of the same time: its moves of keys are not taken, because changes after them may have been"
                        .formatted(event.recordSequence(), event.commitTimestamp(), latest.recordSequence()),
                null);
    }

    /**
     * Takes a row that could not be decoded, or throws the failure if the handler keeps none. A change whose commit
     * timestamp cannot be read takes the position of the record before it: Spanner returns changes in commit order,
     * so no watermark passes an earlier unsettled change.
     */
    boolean takeUndecodable(UndecodableChange change, SourceException failure) throws InterruptedException {
        if (!handler.keepsUndecodable()) {
            throw failure;
        }
        DataChangeRecord standIn = standIn(change);
        boolean isPlaced =
                change.commitTimestamp().isPresent() && change.recordSequence().isPresent();
        if (isNew(standIn, isPlaced ? arrive(standIn) : position.arriveUnplaced(standIn))) {
            UndecodableRowException cause =
                    new UndecodableRowException(String.valueOf(failure.getMessage()), change.row(), failure);
            if (!handler.undecodable(standIn, cause)) {
                return false;
            }
            mark(position.timestamp());
        }
        return true;
    }

    private DataChangeRecord standIn(UndecodableChange change) {
        String identity = "undecodable-" + UUID.nameUUIDFromBytes(change.row().getBytes(UTF_8));
        return DataChangeRecord.withoutRows(
                change.commitTimestamp().orElse(position.timestamp()),
                change.recordSequence().orElse(identity),
                change.serverTransactionId().orElse(identity),
                change.tableName().orElse(""));
    }

    /** Classifies a change; one that comes after a later move of keys must have come before. */
    private Arrival arrive(DataChangeRecord change) {
        Arrival arrival = position.arrive(change);
        PartitionEventRecord latest = latestEvent;
        if (arrival != Arrival.REPEATED && latest != null && isBefore(change, latest)) {
            throw handler.unreadable(new SourceException(
                    SourceException.Kind.FATAL,
                    "the server returned the change %s after the event %s of %s: it is not delivered, because changes after that move of keys may have been"
                            .formatted(change.identity(), latest.recordSequence(), latest.commitTimestamp()),
                    null));
        }
        changedAt = change.commitTimestamp();
        changeSequence = change.recordSequence();
        return arrival;
    }

    private static boolean isBefore(DataChangeRecord change, PartitionEventRecord event) {
        int order = change.commitTimestamp().compareTo(event.commitTimestamp());
        return order < 0 || (order == 0 && change.recordSequence().compareTo(event.recordSequence()) < 0);
    }

    /** Returns whether the change was not read before. */
    private boolean isNew(DataChangeRecord change, Arrival arrival) {
        switch (arrival) {
            case IN_ORDER -> {}
            case BEHIND_MARK ->
                log.warn(
                        "[{}] the server returned {} after a heartbeat or child partitions record of {}; the change is delivered after all changes before it. The watermark may already be later: if this process ends before the change is settled, it is not delivered again",
                        label,
                        change.identity(),
                        position.timestamp());
            case REPEATED, SETTLED -> {
                log.debug("[{}] {} was dispatched before; dropped", label, change.identity());
                handler.repeated(change);
                return false;
            }
            case BEHIND_CHANGE -> throw handler.outOfOrder(change, position.latestChange());
        }
        broughtChanges = true;
        return true;
    }

    /** Remembers partitions that continue this one; only those of the latest time can be the last ones. */
    private void addChildren(Instant at, Collection<PartitionToken> tokens) {
        if (!at.equals(childrenStart)) {
            children.clear();
            childrenStart = at;
        }
        children.addAll(tokens);
    }

    /** Continues at the end of a window that brought nothing more, twice. */
    void passWindow(Instant windowEnd) throws InterruptedException {
        mark(windowEnd);
        handler.idle();
    }

    /** Notes that the partition has nothing more before that time: it is in a gap. */
    void readUpTo(Instant gapEnd) throws InterruptedException {
        handler.readUpTo(gapEnd);
    }

    /** Continues at that time: earlier changes are lost, and the loss is recorded. All records taken are settled. */
    void skipTo(Instant beginning) throws InterruptedException {
        mark(beginning);
        position.skipTo(beginning);
    }

    private void mark(Instant timestamp) throws InterruptedException {
        position.advance(timestamp);
        handler.readUpTo(timestamp);
    }

    /** Returns whether the current query has brought children. Those of earlier ones prove nothing about it. */
    boolean broughtChildren() {
        return broughtChildren;
    }

    /** Returns whether the current query has brought changes that were not known before. */
    boolean broughtChanges() {
        return broughtChanges;
    }

    /** Returns whether the current query has returned anything that shows a working stream. */
    boolean progressed() {
        return broughtChanges || broughtHeartbeats;
    }

    /** Returns the proof by the partition's end record, if it was read. */
    Optional<PartitionEnd> end() {
        return Optional.ofNullable(end);
    }

    boolean hasChildren() {
        return !children.isEmpty();
    }

    /**
     * Returns the proof of the partition's end by the children so far. It is valid once a query that returned children
     * has ended with OK.
     */
    PartitionEnd proofByChildren() {
        return PartitionEnd.childPartitions(childrenStart, List.copyOf(children));
    }
}
