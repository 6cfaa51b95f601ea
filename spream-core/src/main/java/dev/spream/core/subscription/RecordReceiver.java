package dev.spream.core.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.consume.UndecodableRowException;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.GapEndWait;
import dev.spream.core.subscription.reading.ReadPosition;
import dev.spream.core.subscription.reading.RecordHandler;
import dev.spream.core.subscription.reading.UnreadableKeys;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of the records of one partition: changes go to the dispatcher; children and started partitions into the
 * storage; moved key ranges to the {@link OrderGate}. Confined to the reader's thread.
 *
 * <p>Children are stored, the scheduler is woken, and only then is the position marked: a mark before could be persisted
 * without them.
 */
final class RecordReceiver implements RecordHandler {
    private final EngineContext context;
    private final HeldPartition partition;
    private final ChangeDispatcher dispatcher;
    private final OrderGate gate;
    private final GapEndWait gapEnd;
    private final BooleanSupplier isActive;
    private Instant readUpTo = Instant.MIN;

    /** @param isActive whether the partition is still to be read */
    RecordReceiver(
            EngineContext context,
            HeldPartition partition,
            ChangeDispatcher dispatcher,
            OrderGate gate,
            GapEndWait gapEnd,
            BooleanSupplier isActive) {
        this.context = context;
        this.partition = partition;
        this.dispatcher = dispatcher;
        this.gate = gate;
        this.gapEnd = gapEnd;
        this.isActive = isActive;
    }

    @Override
    public boolean change(DataChangeRecord change, Instant position) throws InterruptedException {
        if (context.options().decodingFailure() == DecodingFailure.DEAD_LETTER
                && context.options().effectiveOrdering() == Ordering.KEY) {
            Optional<UnreadableKeys> unreadable = UnreadableKeys.of(change);
            if (unreadable.isPresent()) {
                boolean kept =
                        undecodable(unreadable.get().standIn(), unreadable.get().failure());
                if (kept) {
                    readUpTo(position);
                }
                return kept;
            }
        }
        return gate.awaitOpen() && dispatcher.submit(change, position);
    }

    @Override
    public void handOver() {
        dispatcher.handOver();
    }

    @Override
    public boolean keepsUndecodable() {
        return context.options().decodingFailure() != DecodingFailure.STOP;
    }

    /** Returns whether changes settle without those of other partitions. */
    boolean settlesAlone() {
        return dispatcher.settlesAlone();
    }

    /** Notes a stored gap, before anything after it is read. */
    void accepted(PartitionGap gap) {
        dispatcher.accepted(gap);
    }

    /** Dead-letters a row that cannot be decoded before the position moves past it. */
    @Override
    public boolean undecodable(DataChangeRecord standIn, UndecodableRowException failure) throws InterruptedException {
        if (!gate.awaitOpen() || !isActive.getAsBoolean()) {
            return false;
        }
        dispatcher.keepUndecodable(standIn, failure);
        return true;
    }

    @Override
    public boolean children(ChildPartitionsRecord children) throws InterruptedException {
        if (!isStored(children, "adding child partitions")) {
            return false;
        }
        context.listener().publish(listener -> listener.childrenDiscovered(partition.token(), children));
        return true;
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
            dispatcher.started(
                    tokens(record.childPartitions().stream()
                            .map(ChildPartition::token)
                            .toList()),
                    record.startTimestamp());
            context.partitionsChanged().signal();
        } else {
            partition.revoke();
        }
        return held;
    }

    @Override
    public boolean isLivingStored(Instant at) throws InterruptedException {
        return context.livingSearches().isNeedless(at, context.options().partitionDiscoveryInterval(), isActive);
    }

    @Override
    public void searchedLiving(Instant at, boolean stored) {
        context.livingSearches().end(at, stored);
    }

    @Override
    public boolean awaitOthers(Instant at) throws InterruptedException {
        if (!gapEnd.await(at)) {
            return false;
        }
        gate.passedGap();
        return true;
    }

    @Override
    public boolean keepsOrder() {
        return context.options().effectiveOrdering() != Ordering.NONE;
    }

    @Override
    public void moved(PartitionEventRecord event) throws InterruptedException {
        List<PartitionToken> destinations = tokens(event.moveOutDestinations());
        if (!destinations.isEmpty()) {
            dispatcher.movedOut(event);
        }
        if (!event.moveInSources().isEmpty()) {
            gate.movedIn(new MoveIn(event.commitTimestamp(), tokens(event.moveInSources())));
        }
        readUpTo(event.commitTimestamp());
        gate.proceed(readUpTo);
        dispatcher.storeMoveOuts();
        destinations.forEach(gate::wakeReader);
    }

    private static List<PartitionToken> tokens(List<String> names) {
        return names.stream().map(PartitionToken::new).toList();
    }

    @Override
    public void readUpTo(Instant timestamp) {
        readUpTo = timestamp;
        partition.tracker().mark(timestamp);
        dispatcher.readUpTo(timestamp);
    }

    @Override
    public void idle() throws InterruptedException {
        gate.proceed(readUpTo);
    }

    @Override
    public void repeated(DataChangeRecord change) {
        context.listener().publish(listener -> listener.duplicateDropped(partition.token(), change));
    }

    @Override
    public RuntimeException unreadable(SourceException failure) {
        return new SubscriptionException(
                "[%s] the partition cannot be read any further: %s; its watermark stays at %s, and the subscription stops"
                        .formatted(context.label(partition.token()), failure.getMessage(), partition.watermark()),
                failure);
    }

    @Override
    public RuntimeException outOfOrder(DataChangeRecord change, Instant latestChange) {
        return new SubscriptionException(
                "[%s] the server returned %s after a change of %s, and it is not among the last %d changes that were read: it is not delivered, because a later change of its key may have been; the watermark stays at %s, and the subscription stops. A restart resumes at the watermark; if that is later than the change, compare the changed rows with the database"
                        .formatted(
                                context.label(partition.token()),
                                change.identity(),
                                latestChange,
                                ReadPosition.REMEMBERED,
                                partition.tracker().watermark()),
                null);
    }

    @Override
    public void reconnecting(int attempt, Duration delay, @Nullable SourceException cause) {
        context.listener().publish(listener -> listener.reconnecting(partition.token(), attempt, delay, cause));
    }

    @Override
    public void reconnected() {
        context.listener().publish(listener -> listener.reconnected(partition.token()));
    }
}
