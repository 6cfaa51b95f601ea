package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the lineage of a job, gives partitions to readers when they may be read, and tells readers the low watermark.
 *
 * <p>Settled means covered by a completed checkpoint. The enumerator's part of a checkpoint is taken before the barriers
 * of the readers, so everything that it knows as emitted by then is settled once the checkpoint has completed; the
 * state that it stores has it as settled already. A partition is therefore read when a checkpoint has completed that
 * holds the ends of its parents, by any reader; or at once by the reader that has emitted all of them. This keeps the
 * order of keys with aligned checkpoints alone: an unaligned one overtakes changes that are not processed.
 *
 * <p>A message costs no more than what it names, but for one computation over all partitions, which messages that come
 * close together share. All methods are called by the coordinator's thread.
 */
final class PartitionEnumerator implements SplitEnumerator<PartitionSplit, EnumeratorState> {
    private static final Logger log = LoggerFactory.getLogger(PartitionEnumerator.class);
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

    private final SplitEnumeratorContext<PartitionSplit> context;
    private final ChangeStreamSource source;
    private final ReadOptions options;
    private final InstantSource clock;
    private final JobStart start;
    private final @Nullable EnumeratorState restored;
    private final Map<Integer, Integer> capacities = new LinkedHashMap<>(); // of readers that have started
    private final DelayWarnings warnings;
    private final EnumeratorMetrics metrics;

    private final Set<PartitionToken> awaited = new HashSet<>(); // the sources of the move-ins that readers wait for
    private final Set<Integer> signalled = new HashSet<>(); // readers that get no more splits

    private @Nullable SplitLineage splits; // once it is known what is read
    private boolean opened; // what is read was compared with the stream
    private SplitAssigner.Counts counts = SplitAssigner.Counts.NONE;
    private Optional<Instant> lowWatermark = Optional.empty();
    private Optional<Instant> askAgainAt = Optional.empty();
    private Optional<Instant> turnsAt = Optional.empty(); // while partitions wait for a reader with room
    private Instant startedAt = Instant.EPOCH;
    private boolean assigning; // every reader has started, or was waited for
    private boolean changed; // what may be read has to be computed
    private boolean scheduled; // and will be soon

    /**
     * Creates the enumerator of a new job, or of a restored one.
     *
     * @param source closed by the enumerator
     * @param restored the state of the checkpoint; null for a new job
     */
    PartitionEnumerator(
            SplitEnumeratorContext<PartitionSplit> context,
            ChangeStreamSource source,
            ReadOptions options,
            InstantSource clock,
            @Nullable EnumeratorState restored) {
        this.context = requireNonNull(context, "context");
        this.source = requireNonNull(source, "source");
        this.options = requireNonNull(options, "options");
        this.clock = requireNonNull(clock, "clock");
        this.start = new JobStart(source, options);
        this.restored = restored;
        this.warnings = new DelayWarnings(source.streamName(), clock, options.checkpointInterval());
        this.metrics = new EnumeratorMetrics(clock);
        this.splits = restored == null
                ? null
                : restored.subscription()
                        .map(subscription -> SplitLineage.restored(clock, subscription, restored))
                        .orElse(null);
    }

    @Override
    public void start() {
        startedAt = clock.instant();
        metrics.register(context.metricGroup());
        ask();
        long interval = options.reportInterval().toMillis();
        context.callAsync(() -> true, (ticked, failure) -> tick(failure), interval, interval);
    }

    private void ask() {
        EnumeratorState state = restored;
        boolean isNew = state == null || state.subscription().isEmpty();
        if (isNew && options.stored().isPresent()) {
            StoredSubscription stored = options.stored().get();
            context.callAsync(() -> start.beginFrom(stored), (subscription, failure) -> {
                if (isAnswered(failure)) {
                    splits = SplitLineage.continued(clock, subscription);
                    open("continuing with %d partitions of a stored subscription"
                            .formatted(subscription.partitions().size()));
                }
            });
        } else if (state == null || state.subscription().isEmpty()) {
            context.callAsync(start::begin, (subscription, failure) -> {
                if (isAnswered(failure)) {
                    splits = SplitLineage.begin(clock, subscription);
                    open("reading from " + subscription.startTimestamp());
                }
            });
        } else {
            SubscriptionRecord stored = state.subscription().get();
            context.callAsync(() -> start.resume(stored), (subscription, failure) -> {
                if (isAnswered(failure)) {
                    open("continuing with %d partitions of a checkpoint"
                            .formatted(state.partitions().size()));
                }
            });
        }
    }

    private void open(String how) {
        log.info("[{}] {}", source.streamName(), how);
        opened = true;
        changed();
    }

    private boolean isAnswered(@Nullable Throwable failure) {
        if (failure == null) {
            return true;
        }
        if (isTransient(failure)) {
            log.warn(
                    "[{}] the change stream cannot be read yet: {}; asking again in {} s",
                    source.streamName(),
                    LoggedFailure.message(failure),
                    RETRY_INTERVAL.toSeconds());
            askAgainAt = Optional.of(clock.instant().plus(RETRY_INTERVAL));
            return false;
        }
        throw failure instanceof FlinkRuntimeException e
                ? e
                : new FlinkRuntimeException(
                        "the change stream %s cannot be read: %s"
                                .formatted(source.streamName(), LoggedFailure.message(failure)),
                        failure);
    }

    private static boolean isTransient(Throwable failure) {
        return (failure instanceof SourceException source && source.kind() == SourceException.Kind.TRANSIENT)
                || (failure instanceof StorageException storage && storage.retryable());
    }

    @Override
    public void addReader(int subtask) {
        // its first message says what it has
    }

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {
        // partitions are given without request
    }

    /** Takes back what a failed reader had; it has its splits of the last checkpoint when it starts again. */
    @Override
    public void addSplitsBack(List<PartitionSplit> lost, int subtask) {
        capacities.remove(subtask);
        signalled.remove(subtask);
        lowWatermark = Optional.empty(); // what it emits again is earlier
        SplitLineage lineage = splits;
        if (lineage != null) {
            lineage.of(subtask).forEach(HeldSplit::readAgain);
            lost.forEach(lineage::giveBack);
            changed();
        }
    }

    @Override
    public void handleSourceEvent(int subtask, SourceEvent event) {
        if (!(event instanceof ReaderEvent message)) {
            throw new IllegalArgumentException("an unknown message of reader %d: %s".formatted(subtask, event));
        }
        switch (message) {
            case ReaderEvent.Restored restored -> restored.splits().forEach(split -> restored(subtask, split));
            case ReaderEvent.ReaderStarted started -> started(subtask, started.capacity());
            case ReaderEvent.ChildrenFound found -> found(subtask, found.token(), found.children());
            case ReaderEvent.MovedIn moved -> movedIn(subtask, moved.token(), moved.moveIn());
            case ReaderEvent.ReadToEnd end -> ended(subtask, end);
            case ReaderEvent.Progress progress -> progressed(subtask, progress);
        }
    }

    private void started(int subtask, int capacity) {
        capacities.put(subtask, capacity);
        lowWatermark.ifPresent(low -> send(subtask, new EnumeratorEvent.LowWatermark(low)));
        changed();
    }

    /** Takes a split as it was stored in the checkpoint that was restored: everything it says is settled. */
    private void restored(int subtask, PartitionSplit split) {
        Optional<HeldSplit> held = lineage().readBy(subtask, split.token());
        split.children().forEach(children -> found(subtask, split.token(), children));
        split.moveIn().ifPresent(moveIn -> movedIn(subtask, split.token(), moveIn));
        held.ifPresent(known -> lineage().settle(known, split.progress(), split.end()));
        if (split.end().isPresent()) {
            send(subtask, new EnumeratorEvent.EndStored(split.token()));
        }
    }

    private void found(int subtask, PartitionToken token, ChildPartitionsRecord children) {
        heldBy(subtask, token).ifPresent(parent -> {
            lineage().add(parent, children);
            changed();
        });
        acknowledge(subtask, token, new EnumeratorEvent.ChildrenStored(token, children));
    }

    private void movedIn(int subtask, PartitionToken token, MoveIn moveIn) {
        Optional<HeldSplit> split = heldBy(subtask, token);
        if (!options.ordered() || split.isEmpty()) {
            acknowledge(subtask, token, new EnumeratorEvent.Proceed(token, moveIn));
            return;
        }
        lineage().waitFor(split.get(), moveIn);
        changed();
    }

    private void ended(int subtask, ReaderEvent.ReadToEnd end) {
        heldBy(subtask, end.token()).ifPresent(split -> {
            split.emitted(end.progress());
            split.readToEnd(end.proof());
            changed();
        });
        acknowledge(subtask, end.token(), new EnumeratorEvent.EndStored(end.token()));
    }

    private void progressed(int subtask, ReaderEvent.Progress progress) {
        boolean ofAwaited = false;
        for (SplitProgress split : progress.splits()) {
            heldBy(subtask, split.token()).ifPresent(held -> held.emitted(split));
            ofAwaited |= awaited.contains(split.token());
        }
        if (ofAwaited) {
            changed();
        }
    }

    private Optional<HeldSplit> heldBy(int subtask, PartitionToken token) {
        SplitLineage lineage = splits;
        return lineage == null ? Optional.empty() : lineage.held(token).filter(split -> split.isReadBy(subtask));
    }

    /** Answers a message about a partition, unless it is of another reader, which would repeat the message. */
    private void acknowledge(int subtask, PartitionToken token, EnumeratorEvent event) {
        if (heldBy(subtask, token).isPresent() || !lineage().isUnfinished(token)) {
            send(subtask, event);
        } else {
            log.debug("[{}] reader {} does not have {}: {}", source.streamName(), subtask, token, event);
        }
    }

    private void send(int subtask, EnumeratorEvent event) {
        if (context.registeredReaders().containsKey(subtask)) {
            context.sendEventToSourceReader(subtask, event);
        }
    }

    private SplitLineage lineage() {
        return requireNonNull(splits, "a reader reports a partition before any was assigned");
    }

    /** Has it computed what may be read, once for all messages that are waiting by then. */
    private void changed() {
        changed = true;
        if (!scheduled) {
            scheduled = true;
            context.runInCoordinatorThread(() -> {
                scheduled = false;
                assignIfChanged();
            });
        }
    }

    private void assignIfChanged() {
        SplitLineage lineage = splits;
        if (!changed || !opened || lineage == null) {
            return;
        }
        assigning = assigning
                || capacities.size() >= context.currentParallelism()
                || clock.instant().isAfter(startedAt.plus(PATIENCE));
        if (!assigning) {
            return;
        }
        changed = false;
        Lineage read = lineage.read();
        int awaitCheckpoint = proceed(lineage, read);
        SplitAssigner assigner = new SplitAssigner(lineage, options.ordered(), areTurnsDue(), readers());
        counts = assigner.assign(read).withMoveIns(waitingForMoveIn(lineage), awaitCheckpoint);
        if (counts.withoutRoom() == 0) {
            turnsAt = Optional.empty();
        } else if (turnsAt.isEmpty()) {
            turnsAt = Optional.of(clock.instant().plus(options.turn()));
        }
        if (!assigner.assigned().isEmpty()) {
            context.assignSplits(new SplitsAssignment<>(assigner.assigned()));
        }
        report(lineage);
    }

    /** Returns whether no reader has had room for so long that partitions have to take turns; all readers are there. */
    private boolean areTurnsDue() {
        return turnsAt.filter(clock.instant()::isAfter).isPresent() && readers().size() >= context.currentParallelism();
    }

    private Map<Integer, Integer> readers() {
        Map<Integer, Integer> readers = new LinkedHashMap<>(capacities);
        readers.keySet().retainAll(context.registeredReaders().keySet());
        readers.keySet().removeAll(signalled);
        return readers;
    }

    /** Lets readers emit what is behind a move-in, and returns the number of partitions that wait for a checkpoint. */
    private int proceed(SplitLineage lineage, Lineage first) {
        Lineage read = first;
        int waiting = 0;
        awaited.clear();
        for (HeldSplit split : List.copyOf(lineage.held())) {
            while (!split.moveIns().isEmpty()
                    && SplitAssigner.mayProceed(split, split.moveIns().getFirst(), read, lineage)) {
                MoveIn over = lineage.proceed(split);
                split.reader().ifPresent(reader -> send(reader, new EnumeratorEvent.Proceed(split.token(), over)));
                if (!split.moveIns().isEmpty()) {
                    read = lineage.read(); // it has the next move-in
                }
            }
            if (!split.moveIns().isEmpty()) {
                awaited.addAll(split.moveIns().getFirst().sources());
                waiting += SplitAssigner.awaitsCheckpoint(split, split.moveIns().getFirst(), read, lineage) ? 1 : 0;
            }
        }
        return waiting;
    }

    private static int waitingForMoveIn(SplitLineage lineage) {
        return (int) lineage.held().stream()
                .filter(split -> !split.moveIns().isEmpty())
                .count();
    }

    private void report(SplitLineage lineage) {
        long ended = lineage.held().stream().filter(HeldSplit::isReadToEnd).count();
        metrics.counted(counts, lineage.held().size(), ended);
        warnings.counted(counts);
        if (counts.unassigned() == 0 && ended == lineage.held().size()) {
            signalEnd();
        }
    }

    private void signalEnd() {
        for (int reader : readers().keySet()) {
            log.info("[{}] everything up to the end was read; reader {} ends", source.streamName(), reader);
            signalled.add(reader);
            context.signalNoMoreSplits(reader);
        }
    }

    private void tick(@Nullable Throwable failure) {
        if (failure != null) {
            throw new FlinkRuntimeException("the enumerator's timer failed", failure);
        }
        if (askAgainAt.filter(clock.instant()::isAfter).isPresent()) {
            askAgainAt = Optional.empty();
            ask();
        }
        changed |= areTurnsDue();
        assignIfChanged();
        if (opened && !changed) {
            sendLowWatermark();
        }
        warnings.warnIfDue();
    }

    private void sendLowWatermark() {
        SplitLineage lineage = splits;
        if (lineage == null) {
            return;
        }
        Optional<Instant> low = Stream.concat(
                        lineage.held().stream()
                                .filter(split -> !split.isReadToEnd())
                                .map(HeldSplit::position),
                        counts.oldestUnassigned().stream())
                .min(Comparator.naturalOrder());
        if (!low.equals(lowWatermark)) {
            lowWatermark = low;
            metrics.lowWatermark(low);
            low.ifPresent(timestamp ->
                    capacities.keySet().forEach(reader -> send(reader, new EnumeratorEvent.LowWatermark(timestamp))));
        }
    }

    @Override
    public EnumeratorState snapshotState(long checkpoint) {
        warnings.checkpointStarted();
        SplitLineage lineage = splits;
        return lineage == null
                ? new EnumeratorState(Optional.empty(), List.of(), List.of(), List.of())
                : lineage.snapshot(checkpoint);
    }

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
        SplitLineage lineage = splits;
        if (lineage != null) {
            lineage.completed(checkpoint);
            warnings.checkpointCompleted();
            changed();
        }
    }

    @Override
    public void notifyCheckpointAborted(long checkpoint) {
        SplitLineage lineage = splits;
        if (lineage != null) {
            lineage.aborted(checkpoint);
        }
    }

    @Override
    public void close() {
        source.close();
    }
}
