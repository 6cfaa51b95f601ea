package dev.spream.core.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.internal.TaskGroup;
import dev.spream.core.internal.Waiter;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.inflight.PendingLanes;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.lease.HeldPartition.Predecessor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The order of the changes of one partition after those of other partitions that its keys came from: the sources of a
 * move-in, and parents that are still read. Events are added, and changes wait, on the reader's thread; the scheduler
 * reports each lineage that it reads.
 *
 * <p>Vocabulary: a <em>hold</em> is a time of the partition at which keys came from others. It is <em>over</em> when
 * the storage has each of them as settled up to the keys' departure. Until then it <em>blocks</em> the changes after
 * it, or the partition is read <em>ahead</em>: if all the others are read by this process, and have been read up to the
 * departure, then only changes of keys that are in flight there wait, each for its own key ({@link PendingLanes}).
 *
 * <p>Rules. Only changes, rows that cannot be decoded, and the end of the partition wait; events behind a hold are
 * read, since two partitions may exchange key ranges at one timestamp. While there is a hold, the watermark that may be
 * stored does not pass it: after a crash, the changes after it come again, after those of the others. A move-out after
 * an open hold is not settled, because the watermark does not reach it; nor is one at its timestamp that is behind a
 * change. A partition that is read ahead is lost with any of the others.
 *
 * <p>Assumed of the stream: a key moves once at a timestamp, so that keys which leave at the time of a hold are not those
 * that came. Partitions that exchange key ranges, two or more in a ring, have no changes between their events of that
 * timestamp. Other changes may have the timestamp of a move, before and after its event. All keys that leave for one
 * partition at one timestamp leave together: no change is between two such move-outs (others are refused when read).
 */
final class OrderGate {
    private static final Logger log = LoggerFactory.getLogger(OrderGate.class);

    /** A time at which keys came from other partitions; without a move-in these are parents that are still read. */
    private static final class Hold {
        private final Instant at;
        private final List<PartitionToken> sources;
        private final Optional<MoveIn> moveIn;
        private final long since;
        private final long boundary; // the sequence of the first record behind it

        // Guarded by the gate. A source that was seen as settled stays so, although a later lineage may omit it.
        private final Set<PartitionToken> left;

        // Written on the reader's thread, under the gate's monitor.
        private volatile List<Predecessor> ahead = List.of(); // the sources that are not settled; empty while it blocks
        private List<PendingLanes> lanes = List.of();
        private long lookedAt;
        private volatile boolean waits; // the wait is stored and reported

        private Hold(Instant at, List<PartitionToken> sources, Optional<MoveIn> moveIn, long since, long boundary) {
            this.at = at;
            this.sources = sources;
            this.left = new LinkedHashSet<>(sources);
            this.moveIn = moveIn;
            this.since = since;
            this.lookedAt = since;
            this.boundary = boundary;
        }

        private boolean blocks() {
            return ahead.isEmpty();
        }
    }

    private final EngineContext context;
    private final HeldPartition partition;
    private final ChangeDispatcher dispatcher;
    private final Function<PartitionToken, Optional<PartitionReader>> readers;
    private final BooleanSupplier isReading;
    private final BooleanSupplier isActive;
    private final TaskGroup.Task reloadParkedKeys;
    private final Waiter changed;

    // Guarded by this, but for the flags and the lineage.
    private final List<Hold> holds = new ArrayList<>();
    private final Queue<Hold> settled = new ConcurrentLinkedQueue<>(); // whose waits were reported
    private volatile @Nullable Lineage latest;
    private volatile boolean isOpen = true; // there is no hold
    private volatile boolean blocked; // the reader's thread waits
    private volatile boolean parkedElsewhere; // keys may have been parked by another process before they came here

    /**
     * @param readers finds the reader of a partition in this process
     * @param isReading whether the partition is still to be read
     * @param isActive whether it is still to be read, or handed over
     * @param reloadParkedKeys loads the keys that other processes have parked since the partition was acquired
     */
    OrderGate(
            EngineContext context,
            HeldPartition partition,
            ChangeDispatcher dispatcher,
            Function<PartitionToken, Optional<PartitionReader>> readers,
            BooleanSupplier isReading,
            BooleanSupplier isActive,
            TaskGroup.Task reloadParkedKeys) {
        this.context = context;
        this.partition = partition;
        this.dispatcher = dispatcher;
        this.readers = readers;
        this.isReading = isReading;
        this.isActive = isActive;
        this.reloadParkedKeys = reloadParkedKeys;
        this.changed = new Waiter(context.time());
    }

    /**
     * Begins with the lineage in which the partition was acquired, and holds everything until those parents have finished,
     * or can be read ahead of.
     */
    void follow(List<PartitionToken> parents, Lineage lineage) {
        latest = lineage;
        if (!parents.isEmpty()) {
            add(new Hold(
                    partition.lease().watermark(),
                    List.copyOf(parents),
                    Optional.empty(),
                    context.time().nanoTime(),
                    partition.tracker().boundary()));
        }
    }

    /** Holds the changes after a move-in. */
    void movedIn(MoveIn moveIn) {
        if (context.options().effectiveOrdering() != Ordering.NONE) {
            add(new Hold(
                    moveIn.timestamp(),
                    moveIn.sources(),
                    Optional.of(moveIn),
                    context.time().nanoTime(),
                    partition.tracker().boundary()));
        }
    }

    /** Notes that keys may have come here by moves that were lost in a gap. */
    void passedGap() {
        parkedElsewhere = true;
    }

    private synchronized void add(Hold hold) {
        holds.add(hold);
        isOpen = false;
        limitWatermark();
    }

    private void limitWatermark() {
        if (holds.isEmpty()) {
            partition.unlimitWatermark();
        } else {
            partition.limitWatermark(holds.getFirst().at, holds.getFirst().boundary);
        }
    }

    /**
     * Stores a wait, or begins to read ahead, without waiting: the watermark and the move-outs of a partition without
     * changes must not stay behind. A wait is stored once all records of its time were read: a move-out may follow the
     * move-in, and another partition may wait for that.
     *
     * @param readUpTo everything before that time was read
     */
    void proceed(Instant readUpTo) throws InterruptedException {
        Hold blocking = isOpen ? null : blocking(true);
        publishSettled(); // before the next wait is reported
        if (blocking != null && !blocking.waits && blocking.at.isBefore(readUpTo)) {
            store(blocking);
        }
    }

    /**
     * Waits until changes may be taken.
     *
     * @return false if the partition is not to be read any more
     */
    boolean awaitOpen() throws InterruptedException {
        return (isOpen && !parkedElsewhere) || await(true);
    }

    /** Waits until there is no hold; returns false if the partition is not to be read any more. */
    boolean awaitOver() throws InterruptedException {
        return isOpen || await(false);
    }

    private boolean await(boolean mayReadAhead) throws InterruptedException {
        dispatcher.handOver(); // others may wait for what is held back
        try {
            while (isReading.getAsBoolean()) {
                Hold blocking = blocking(mayReadAhead);
                publishSettled();
                if (blocking == null) {
                    loadParkedKeys();
                    return true;
                }
                blocked = true;
                if (!blocking.waits && (blocking.blocks() || !mayReadAhead) && !store(blocking)) {
                    lookForSources(blocking);
                    changed.await(context.options().watermarkInterval());
                } else {
                    changed.await(context.options().partitionDiscoveryInterval());
                }
            }
            return false;
        } finally {
            blocked = false;
        }
    }

    private void loadParkedKeys() throws InterruptedException {
        if (!parkedElsewhere) {
            return;
        }
        parkedElsewhere = false;
        try {
            reloadParkedKeys.run();
        } catch (InterruptedException | RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new SubscriptionException(
                    "[%s] the parked keys could not be loaded; the watermark stays at %s, and the subscription stops"
                            .formatted(context.label(partition.token()), partition.watermark()),
                    e);
        }
    }

    /**
     * Returns the first hold to wait for; null if there is none. The monitor is not held while that of another gate is
     * taken: two partitions may be read ahead of each other.
     */
    private @Nullable Hold blocking(boolean mayReadAhead) {
        removeOver();
        for (Hold hold : holds()) {
            if (hold.blocks() && context.readsAhead()) {
                goAhead(hold);
            }
            if (hold.blocks() || !mayReadAhead) {
                return hold;
            }
        }
        return null;
    }

    private synchronized List<Hold> holds() {
        return List.copyOf(holds);
    }

    private void removeOver() {
        List<Hold> over = holds().stream().filter(this::isOver).toList();
        if (!over.isEmpty()) {
            remove(over);
        }
    }

    private synchronized void remove(List<Hold> over) {
        over.stream().filter(holds::remove).filter(hold -> hold.waits).forEach(settled::add);
        parkedElsewhere |= over.stream().anyMatch(Hold::blocks);
        isOpen = holds.isEmpty();
        limitWatermark();
        passOn();
        dispatcher.storeMoveOuts(); // those after the hold
    }

    /** Reports the waits that are over, on the thread that reported them. */
    private void publishSettled() {
        for (Hold over = settled.poll(); over != null; over = settled.poll()) {
            publishSettled(over);
        }
    }

    private void publishSettled(Hold over) {
        Duration waited = Duration.ofNanos(context.time().nanoTime() - over.since);
        over.moveIn.ifPresent(moveIn ->
                context.listener().publish(listener -> listener.moveInSettled(partition.token(), moveIn, waited)));
    }

    private boolean isOver(Hold hold) {
        return awaited(hold).isEmpty();
    }

    /** Returns the sources of the hold that were never seen as settled. */
    private synchronized List<PartitionToken> awaited(Hold hold) {
        hold.ahead.stream()
                .filter(source -> isDeparture(source, hold) && source.isStored())
                .forEach(source -> hold.left.remove(source.partition().token()));
        hold.left.removeIf(source -> isStoredHere(hold, source));
        Lineage lineage = latest;
        if (lineage != null) {
            hold.left.retainAll(hold.moveIn
                    .map(moveIn -> lineage.awaitedSources(partition.token(), moveIn))
                    .orElseGet(() -> hold.sources.stream()
                            .filter(parent -> !isFinished(lineage, parent))
                            .toList()));
        }
        return List.copyOf(hold.left);
    }

    /** Returns whether that is the departure of the hold's own keys, and not an earlier one that led to it. */
    private boolean isDeparture(Predecessor source, Hold hold) {
        return source.destination().equals(partition.token())
                && source.at().equals(hold.moveIn.isPresent() ? hold.at : Instant.MAX);
    }

    /** Returns whether this process stored that the source is settled, which no lineage may have shown yet. */
    private boolean isStoredHere(Hold hold, PartitionToken source) {
        return hold.moveIn.isPresent()
                && readers.apply(source)
                        .map(PartitionReader::partition)
                        .filter(read -> read.reads(hold.at) && read.isStoredPast(hold.at, partition.token()))
                        .isPresent();
    }

    private static boolean isFinished(Lineage lineage, PartitionToken parent) {
        return lineage.partition(parent).filter(PartitionMetadata::isFinished).isPresent();
    }

    /** Reads ahead of the sources of a hold, if this process has read all that are not settled up to the departure. */
    private void goAhead(Hold hold) {
        Set<Predecessor> ahead = new LinkedHashSet<>();
        List<PendingLanes> lanes = new ArrayList<>();
        List<PartitionToken> awaited = awaited(hold);
        for (PartitionToken source : awaited) {
            Optional<PartitionReader> reader = readers.apply(source);
            Optional<Departure> departure = reader.flatMap(found -> hold.moveIn.isPresent()
                    ? found.departure(partition.token(), hold.at)
                    : found.departureAtEnd(partition.token()));
            if (departure.isEmpty()) {
                return;
            }
            ahead.addAll(departure.get().predecessors());
            lanes.addAll(departure.get().lanes());
        }
        ahead.removeIf(source -> source.partition() == partition);
        synchronized (this) {
            hold.ahead = List.copyOf(ahead);
            hold.lanes = List.copyOf(lanes);
            if (hold.waits && !hold.blocks()) {
                endWait(hold);
            }
            parkedElsewhere |= hold.moveIn.isPresent() || awaited.size() < hold.sources.size();
            passOn();
        }
    }

    /** Ends a wait that was reported, although the hold lasts. The caller holds the monitor. */
    private void endWait(Hold hold) {
        hold.waits = false;
        settled.add(hold);
    }

    /** Passes on what the holds require. The caller holds the monitor. */
    private void passOn() {
        partition.continueAfter(
                holds.stream().flatMap(hold -> hold.ahead.stream()).distinct().toList());
        dispatcher.continueAfter(
                holds.stream().flatMap(hold -> hold.lanes.stream()).toList());
    }

    /**
     * Stores the wait, so that it is part of the gate and operators see it; then the scheduler reads the lineage. Only
     * when everything before it is stored: a partition that the gate keeps from being read must have nothing to do that
     * another one waits for, or two that exchange key ranges would wait for each other after a crash.
     *
     * @return false if it is too early to store it
     */
    private boolean store(Hold hold) throws InterruptedException {
        if (hold.moveIn.isPresent() && !partition.isStoredUpTo(hold.at)) {
            context.watermarksDue().signal();
            return false;
        }
        if (hold.moveIn.isPresent()) {
            MoveIn moveIn = hold.moveIn.get();
            boolean held = context.storageCalls()
                    .repeat(
                            "storing a wait for a move-in",
                            partition.token(),
                            isActive,
                            storage -> storage.waitForMoveIn(partition.lease(), moveIn));
            if (!held) {
                partition.revoke();
                return true;
            }
            replaceStored();
            publishSettled();
            log.info(
                    "[{}] changes after {} wait for {}, where key ranges came from",
                    context.label(partition.token()),
                    moveIn.timestamp(),
                    moveIn.sources().stream().map(PartitionToken::abbreviated).toList());
            context.listener().publish(listener -> listener.waitingForMoveIn(partition.token(), moveIn));
        }
        if (isWaiting(hold)) {
            context.partitionsChanged().signal();
        } else {
            publishSettled(hold);
        }
        return true;
    }

    /**
     * Looks, once a lease time, for sources that are finished, or were never found because of a gap, while it is too early to
     * store the wait: the changes before it may be of a transaction that is settled only once this partition was read further.
     */
    private void lookForSources(Hold hold) throws InterruptedException {
        long now = context.time().nanoTime();
        if (hold.moveIn.isEmpty()
                || now - hold.lookedAt < context.options().leaseTime().toNanos()) {
            return;
        }
        hold.lookedAt = now;
        Lineage all = context.storageCalls()
                .repeat("reading the lineage", partition.token(), isActive, PartitionStorage::lineage);
        Lineage known = latest;
        List<PartitionToken> awaited = (known == null ? all : all.withPositionsOf(known))
                .awaitedSources(partition.token(), hold.moveIn.get(), true);
        synchronized (this) {
            hold.left.retainAll(awaited);
        }
    }

    /** Ends the wait that was stored before: one is stored at a time, and the others again when it is their turn. */
    private synchronized void replaceStored() {
        holds.stream().filter(hold -> hold.waits && hold.moveIn.isPresent()).forEach(this::endWait);
    }

    /** Records that the wait was reported; returns false if it is over already. */
    private synchronized boolean isWaiting(Hold hold) {
        hold.waits = true;
        return holds.contains(hold);
    }

    /** Takes a lineage that was just read. */
    void observe(Lineage lineage) {
        latest = lineage; // what it shows as settled stays so
        if (isOpen) {
            return;
        }
        removeOver();
        changed.signal();
    }

    /** Lets the reader of another partition check its holds again, if it is in this process. */
    void wakeReader(PartitionToken other) {
        readers.apply(other).ifPresent(PartitionReader::wake);
    }

    /** Ends a wait, so that its condition is checked again. */
    void wake() {
        changed.signal();
    }

    /** Returns whether the reader's thread waits here, for partitions that are read elsewhere, or not at all. */
    boolean isBlocked() {
        return blocked && holds().stream().anyMatch(hold -> hold.blocks() && hold.waits);
    }

    /** Returns the partitions that may have to settle changes before the ones that are held. */
    synchronized Set<PartitionToken> awaited() {
        return holds.stream()
                .filter(Hold::blocks)
                .flatMap(hold -> hold.left.stream())
                .collect(Collectors.toSet());
    }

    /**
     * Returns the partition and those that it is read ahead of, or is about to be: they stay in this process. None if it
     * is not read ahead.
     */
    Set<PartitionToken> together() {
        Set<PartitionToken> together = new HashSet<>();
        for (Hold hold : holds()) {
            if (!hold.blocks() || hold.moveIn.isEmpty()) {
                together.add(partition.token());
                together.addAll(hold.sources);
                hold.ahead.forEach(source -> together.add(source.partition().token()));
            }
        }
        return together;
    }

    /** The records that are in flight before keys left a partition, and the partitions whose leases protect them. */
    record Departure(List<Predecessor> predecessors, List<PendingLanes> lanes) {}

    /**
     * Returns the departure of keys at that time, which those of earlier holds belong to; empty while an earlier hold
     * blocks.
     */
    synchronized Optional<Departure> departure(Instant at, PartitionToken destination, PendingLanes pending) {
        List<Hold> before = holds.stream().filter(hold -> hold.at.isBefore(at)).toList();
        if (before.stream().anyMatch(Hold::blocks)) {
            return Optional.empty();
        }
        return Optional.of(new Departure(
                Stream.concat(
                                Stream.of(new Predecessor(partition, at, destination)),
                                before.stream().flatMap(hold -> hold.ahead.stream()))
                        .toList(),
                Stream.concat(Stream.of(pending), before.stream().flatMap(hold -> hold.lanes.stream()))
                        .toList()));
    }
}
