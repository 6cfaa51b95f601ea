package dev.spream.core.subscription;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
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
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.ReadPosition;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the records of one partition in read order: changes go to the dispatcher, unless they were dispatched before;
 * children and started partitions into the storage; moved key ranges to the {@link OrderGate}; and the position moves
 * with each. Remembers the records of the current query. Confined to the reader's thread.
 *
 * <p>Children are stored, the scheduler is woken, and only then is the position marked: a mark before could be persisted
 * without them.
 */
final class RecordReceiver {
    private static final Logger log = LoggerFactory.getLogger(RecordReceiver.class);

    private final EngineContext context;
    private final HeldPartition partition;
    private final ChangeDispatcher dispatcher;
    private final OrderGate gate;
    private final BooleanSupplier isActive;
    private final ReadPosition position;
    private final Set<PartitionToken> children = new LinkedHashSet<>();
    private Instant childrenStart;
    private @Nullable PartitionEventRecord latestEvent;
    private @Nullable PartitionEnd end;

    // Of the current query.
    private boolean broughtChildren;
    private boolean broughtChanges;
    private boolean broughtHeartbeats;

    /** @param isActive whether the partition is still to be read */
    RecordReceiver(
            EngineContext context,
            HeldPartition partition,
            ChangeDispatcher dispatcher,
            OrderGate gate,
            BooleanSupplier isActive) {
        this.context = context;
        this.partition = partition;
        this.dispatcher = dispatcher;
        this.gate = gate;
        this.isActive = isActive;
        this.position = new ReadPosition(
                partition.lease().watermark(), partition.lease().moveOuts().map(MoveOuts::recordSequence));
        this.childrenStart = position.timestamp();
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
     * Takes a record, waiting for room if there is none.
     *
     * @return false if the partition has ended; or if the reader is stopping: the record was not taken, and no later
     *     one may be, because a later mark would skip it
     */
    boolean take(ChangeRecord record) throws InterruptedException {
        switch (record) {
            case DataChangeRecord change -> {
                return dispatch(change);
            }
            case HeartbeatRecord heartbeat -> {
                mark(heartbeat.timestamp());
                broughtHeartbeats = true;
                gate.proceed();
            }
            case ChildPartitionsRecord childPartitions -> store(childPartitions);
            case PartitionStartRecord start -> store(started(start));
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

    private boolean dispatch(DataChangeRecord change) throws InterruptedException {
        if (!isNew(change)) {
            return true;
        }
        if (context.options().decodingFailure() == DecodingFailure.DEAD_LETTER
                && context.options().effectiveOrdering() == Ordering.KEY) {
            Optional<UnreadableKeys> unreadable = UnreadableKeys.of(change);
            if (unreadable.isPresent()) {
                return keep(unreadable.get().standIn(), unreadable.get().failure());
            }
        }
        return gate.awaitOpen() && dispatcher.submit(change, position.timestamp());
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
        latestEvent = event;
        List<PartitionToken> destinations = tokens(event.moveOutDestinations());
        if (!destinations.isEmpty()) {
            dispatcher.movedOut(event);
            addChildren(event.commitTimestamp(), destinations);
        }
        if (!event.moveInSources().isEmpty()) {
            gate.movedIn(new MoveIn(event.commitTimestamp(), tokens(event.moveInSources())));
        }
        mark(event.commitTimestamp());
        gate.proceed();
        dispatcher.storeMoveOuts();
        destinations.forEach(gate::wakeReader);
    }

    private boolean isTaken(PartitionEventRecord event) {
        PartitionEventRecord latest = latestEvent;
        if (latest == null) {
            return event.commitTimestamp().isBefore(partition.lease().watermark());
        }
        int order = event.commitTimestamp().compareTo(latest.commitTimestamp());
        return order < 0 || (order == 0 && event.recordSequence().compareTo(latest.recordSequence()) <= 0);
    }

    private static List<PartitionToken> childrenOf(ChildPartitionsRecord record) {
        return tokens(
                record.childPartitions().stream().map(ChildPartition::token).toList());
    }

    private static List<PartitionToken> tokens(List<String> names) {
        return names.stream().map(PartitionToken::new).toList();
    }

    /**
     * Takes a row that could not be decoded, or throws the failure if the options say so. A change whose commit
     * timestamp cannot be read takes the position of the record before it: Spanner returns changes in commit order,
     * so no watermark passes an earlier unsettled change.
     */
    boolean takeUndecodable(UndecodableChange change, SourceException failure) throws InterruptedException {
        if (context.options().decodingFailure() == DecodingFailure.STOP) {
            throw failure;
        }
        DataChangeRecord standIn = standIn(change);
        return !isNew(standIn)
                || keep(
                        standIn,
                        new UndecodableRowException(String.valueOf(failure.getMessage()), change.row(), failure));
    }

    private DataChangeRecord standIn(UndecodableChange change) {
        return standIn(
                change.commitTimestamp().orElse(position.timestamp()),
                change.recordSequence().orElse(""),
                change.serverTransactionId()
                        .orElseGet(() -> "undecodable-"
                                + UUID.nameUUIDFromBytes(change.row().getBytes(UTF_8))),
                change.tableName().orElse(""));
    }

    /** Returns a change without rows that stands for the undecodable one, with the values that are known. */
    static DataChangeRecord standIn(
            Instant commitTimestamp, String recordSequence, String serverTransactionId, String tableName) {
        return new DataChangeRecord(
                commitTimestamp,
                recordSequence,
                serverTransactionId,
                false,
                tableName,
                List.of(),
                List.of(),
                "",
                "",
                0,
                0,
                "",
                false);
    }

    /** Dead-letters a row that cannot be decoded before the position moves past it. */
    private boolean keep(DataChangeRecord change, UndecodableRowException failure) throws InterruptedException {
        if (!gate.awaitOpen() || !isActive.getAsBoolean()) {
            return false;
        }
        dispatcher.keepUndecodable(change, failure);
        mark(position.timestamp());
        return true;
    }

    /** Returns whether the change was not dispatched before. */
    private boolean isNew(DataChangeRecord change) {
        switch (position.arrive(change)) {
            case IN_ORDER -> {}
            case BEHIND_MARK ->
                log.warn(
                        "[{}] the server returned {} after a heartbeat or child partitions record of {}; the change is delivered after all changes before it. The watermark may already be later: if this process ends before the change is settled, it is not delivered again",
                        context.label(partition.token()),
                        change.identity(),
                        position.timestamp());
            case REPEATED -> {
                log.debug(
                        "[{}] {} was dispatched before; dropped", context.label(partition.token()), change.identity());
                context.listener().publish(listener -> listener.duplicateDropped(partition.token(), change));
                return false;
            }
            case BEHIND_CHANGE -> throw outOfOrder(change);
        }
        broughtChanges = true;
        return true;
    }

    private SubscriptionException outOfOrder(DataChangeRecord change) {
        return new SubscriptionException(
                "[%s] the server returned %s after a change of %s, and it is not among the last %d changes that were read: it is not delivered, because a later change of its key may have been; the watermark stays at %s, and the subscription stops. A restart resumes at the watermark; if that is later than the change, compare the changed rows with the database"
                        .formatted(
                                context.label(partition.token()),
                                change.identity(),
                                position.latestChange(),
                                ReadPosition.REMEMBERED,
                                partition.tracker().watermark()),
                null);
    }

    private void store(ChildPartitionsRecord record) throws InterruptedException {
        if (!isStored(record, "adding child partitions")) {
            return;
        }
        addChildren(record.startTimestamp(), childrenOf(record));
        broughtChildren = true;
        mark(record.startTimestamp());
        context.listener().publish(listener -> listener.childrenDiscovered(partition.token(), record));
    }

    /** Remembers partitions that continue this one; only those of the latest time can be the last ones. */
    private void addChildren(Instant start, List<PartitionToken> tokens) {
        if (!start.equals(childrenStart)) {
            children.clear();
            childrenStart = start;
        }
        children.addAll(tokens);
    }

    /** Stores partitions that continue this one, and wakes the scheduler; false if the lease was lost. */
    boolean isStored(ChildPartitionsRecord record, String operation) throws InterruptedException {
        boolean held = context.storageCalls()
                .repeat(
                        operation,
                        partition.token(),
                        isActive,
                        storage -> storage.addChildren(partition.lease(), record));
        if (held) {
            dispatcher.started(childrenOf(record), record.startTimestamp());
            context.partitionsChanged().signal();
        } else {
            partition.revoke();
        }
        return held;
    }

    /** Continues at the end of a window that brought nothing more, twice. */
    void passWindow(Instant windowEnd) throws InterruptedException {
        mark(windowEnd);
        gate.proceed();
    }

    /** Continues at that time: earlier changes are lost, and the loss is recorded. All records taken are settled. */
    void skipTo(Instant beginning) {
        mark(beginning);
        position.skipTo(beginning);
    }

    private void mark(Instant timestamp) {
        position.advance(timestamp);
        partition.tracker().mark(timestamp);
        dispatcher.readUpTo(timestamp);
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
