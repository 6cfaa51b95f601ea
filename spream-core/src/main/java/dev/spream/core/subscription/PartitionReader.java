package dev.spream.core.subscription;

import dev.spream.core.DurationText;
import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.TaskGroup;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.UndecodableChange;
import dev.spream.core.subscription.inflight.PendingLanes;
import dev.spream.core.subscription.lease.HeldPartition;
import dev.spream.core.subscription.reading.QueryRunner;
import dev.spream.core.subscription.reading.QueryWindow;
import dev.spream.core.subscription.reading.StreamEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Reads one partition from its watermark to its proven end, on a virtual thread of its own. {@link #handOver}, {@link
 * #stop} and {@link #cancel} may be called from any thread.
 *
 * <p>Queries always start at the last position, inclusive: records with the same timestamp may still be missing, and
 * a start one nanosecond later may be after the partition's end, where its children would never be returned. At the
 * end, the reader waits until everything is settled, the consumer is flushed, and the last watermark is stored
 * together with FINISHED.
 *
 * <p>An end is proven when one query returned child partitions and then ended with OK; or, in a bounded subscription,
 * when a query ended with OK, and another one, issued after the server's time had passed the end timestamp, ended
 * with OK too and brought nothing new. Children returned by a query that broke prove nothing: there may be more of
 * them. In a stream with mutable key ranges, a partition ends with its end record. In all other cases the reader
 * reconnects.
 */
final class PartitionReader {
    private static final Logger log = LoggerFactory.getLogger(PartitionReader.class);
    /**
     * The logger for broken streams, a separate one so that a program can report them itself for all partitions
     * together.
     */
    private static final Logger reconnectLog = LoggerFactory.getLogger("dev.spream.core.subscription.Reconnect");

    private static final int WARN_FROM_ATTEMPT = 3;

    private final EngineContext context;
    private final HeldPartition partition;
    private final ChangeDispatcher dispatcher;
    private final WatermarkWriter watermarks;
    private final QueryWindow window;
    private final OrderGate gate;
    private final String label;

    // Confined to the reader's thread.
    private final RecordReceiver intake;
    private final RetentionLossHandler lossAcceptance;
    private final ExponentialBackoff backoff;
    private @Nullable Instant steppedBackTo;
    private boolean broken; // and no record since
    private boolean startedInFuture;
    private boolean endedWithOk;

    private final QueryRunner queries;
    private final long openedAt;
    private volatile OptionalLong handingOverSince = OptionalLong.empty();
    private volatile @Nullable PendingLanes pendingAtEnd; // set once it is read to its end
    private volatile boolean stopRequested;
    private volatile boolean ended;
    private volatile int failures; // queries in a row that brought nothing new

    PartitionReader(
            EngineContext context,
            HeldPartition partition,
            ChangeDispatcher dispatcher,
            WatermarkWriter watermarks,
            QueryWindow window,
            Function<PartitionToken, Optional<PartitionReader>> readers,
            TaskGroup.Task reloadParkedKeys) {
        this.context = context;
        this.partition = partition;
        this.dispatcher = dispatcher;
        this.watermarks = watermarks;
        this.window = window;
        this.gate = new OrderGate(
                context, partition, dispatcher, readers, this::isReading, this::isActive, reloadParkedKeys);
        this.label = context.label(partition.token());
        this.backoff = RetryingStorageCalls.backoff(context.random());
        this.openedAt = context.time().nanoTime();
        this.queries = context.queries(this::isReading, () -> failures);
        this.intake = new RecordReceiver(context, partition, dispatcher, gate, this::isActive);
        this.lossAcceptance =
                new RetentionLossHandler(context, partition, intake, queries, watermarks, window, this::isActive);
        partition.onLost(this::stopForLostLease);
    }

    /** Reads until the end, or until it is stopped. Returns when nothing more of this partition will be dispatched. */
    void run() throws InterruptedException {
        if (!context.storageCalls()
                .repeat(
                        "starting a partition",
                        partition.token(),
                        this::isActive,
                        storage -> storage.markRunning(partition.lease()))) {
            partition.revoke();
            return;
        }
        log.info(
                "[{}] reading from {} (epoch {})",
                label,
                intake.position(),
                partition.lease().epoch());
        context.listener()
                .publish(listener -> listener.partitionAcquired(
                        partition.token(),
                        partition.lease().epoch(),
                        partition.lease().watermark()));
        Optional<PartitionEnd> proof = readToEnd();
        if (proof.isPresent()) {
            pendingAtEnd = dispatcher.pending();
            dispatcher.readToEnd();
            context.partitionsChanged().signal(); // its children may be read ahead
        }
        boolean settled = isActive() && dispatcher.awaitSettled();
        if (settled && proof.isPresent() && gate.awaitOver() && partition.isHeld()) {
            finish(proof.get());
        }
    }

    private Optional<PartitionEnd> readToEnd() throws InterruptedException {
        while (isReading()) {
            Optional<PartitionEnd> proof;
            try {
                proof = readOnce();
            } catch (SourceException e) {
                proof = recover(e);
            }
            if (proof.isPresent()) {
                return proof;
            }
        }
        return Optional.empty();
    }

    /** Runs one query; returns the proof of the partition's end, if it brought one. */
    private Optional<PartitionEnd> readOnce() throws InterruptedException {
        intake.startQuery();
        if (startedInFuture) {
            startedInFuture = !queries.awaitServerPassed(queryStart());
        }
        PartitionQuery query = query();
        boolean serverPassedEnd =
                endedWithOk && queries.awaitServerPassed(query.endTimestamp().orElseThrow());
        return switch (queries.run(query, new Taken())) {
            case StreamEnd.Ok ok -> endOfStream(query, serverPassedEnd);
            case StreamEnd.Broken broken -> recover(broken.cause());
            case StreamEnd.Stopped stopped -> intake.end();
        };
    }

    private PartitionQuery query() {
        return new PartitionQuery(
                window.queried(partition.token()),
                queryStart(),
                window.endOf(queryStart()),
                context.options().heartbeatInterval(),
                OptionalLong.of(context.prefetchBytes()));
    }

    private Optional<PartitionEnd> endOfStream(PartitionQuery query, boolean serverPassedEnd)
            throws InterruptedException {
        if (window.isMutable() && !partition.token().isRoot()) {
            return endOfWindow(query, serverPassedEnd);
        }
        if (intake.broughtChildren()) {
            return Optional.of(intake.proofByChildren());
        }
        if (window.endTimestamp().isEmpty()
                || intake.hasChildren()
                || partition.token().isRoot()) {
            reconnect(null);
            return Optional.empty();
        }
        endedWithOk = true;
        return serverPassedEnd && !intake.broughtChanges()
                ? Optional.of(PartitionEnd.boundedEnd(window.endTimestamp().get()))
                : Optional.empty();
    }

    /**
     * Handles the end of a window without an end record. The next one starts at the last position; or at the end of this
     * one if a second query, issued after the server's time had passed that, brought nothing new either.
     */
    private Optional<PartitionEnd> endOfWindow(PartitionQuery query, boolean serverPassedEnd)
            throws InterruptedException {
        Instant end = query.endTimestamp().orElseThrow();
        boolean last = window.isLast(end);
        endedWithOk = false;
        if (!last && intake.position().isAfter(query.startTimestamp())) {
            return Optional.empty();
        }
        if (serverPassedEnd && !intake.broughtChanges()) {
            if (last) {
                return Optional.of(PartitionEnd.boundedEnd(end));
            }
            intake.passWindow(end);
        } else if (context.source().serverTime().isAfter(end)) {
            endedWithOk = true;
        } else {
            reconnect(null); // it ended early
        }
        return Optional.empty();
    }

    /** Handles the failure of a stream; returns the proof of the partition's end, if it found one. */
    private Optional<PartitionEnd> recover(SourceException failure) throws InterruptedException {
        if (!isActive()) {
            return Optional.empty();
        }
        endedWithOk &= !window.isMutable(); // the next query may be of another window
        switch (failure.kind()) {
            case TRANSIENT -> reconnect(failure);
            case RETENTION_LOST, PARTITION_EXPIRED -> {
                return acceptLoss(failure);
            }
            case OUTSIDE_PARTITION -> stepBack(failure);
            case START_IN_FUTURE -> {
                reconnect(failure);
                startedInFuture = true;
            }
            case CANCELLED, NOT_FOUND, PERMISSION_DENIED, MALFORMED, FATAL -> throw unreadable(failure);
        }
        return Optional.empty();
    }

    private Optional<PartitionEnd> acceptLoss(SourceException failure) throws InterruptedException {
        lossAcceptance.requireAccepted(failure);
        // A partition that ended before the retention period has expired, whichever error the server returns.
        boolean expired = failure.kind() == SourceException.Kind.PARTITION_EXPIRED || steppedBackTo != null;
        try {
            dispatcher.lost(() -> lossAcceptance.endOfLoss(failure));
            if (!dispatcher.awaitSettled() || !gate.awaitOver() || !isActive()) {
                return Optional.empty();
            }
            return expired ? lossAcceptance.replaceExpired(failure) : lossAcceptance.skipLost(failure);
        } catch (SourceException e) {
            if (e.kind() != SourceException.Kind.TRANSIENT) {
                throw unreadable(e);
            }
            reconnect(e);
            return Optional.empty();
        }
    }

    /**
     * A position past the partition's end proves nothing: the children returned at its end may not have been read. It
     * is read again from there.
     */
    private void stepBack(SourceException failure) throws InterruptedException {
        Instant end = failure.validUntil().orElseThrow(() -> unreadable(failure));
        if (!end.isBefore(queryStart())) {
            throw unreadable(failure);
        }
        steppedBackTo = end;
        reconnect(failure);
    }

    private Instant queryStart() {
        Instant back = steppedBackTo;
        return back == null ? intake.position() : back;
    }

    private SubscriptionException unreadable(SourceException e) {
        return new SubscriptionException(
                "[%s] the partition cannot be read any further: %s; its watermark stays at %s, and the subscription stops"
                        .formatted(label, e.getMessage(), partition.watermark()),
                e);
    }

    /** Passes the records of a query on to the receiver; the first one shows that a broken stream works again. */
    private final class Taken implements QueryRunner.Taker {
        @Override
        public boolean take(ChangeRecord record) throws InterruptedException {
            reportReconnected();
            return intake.take(record);
        }

        @Override
        public boolean takeUndecodable(UndecodableChange change, SourceException failure) throws InterruptedException {
            reportReconnected();
            return intake.takeUndecodable(change, failure);
        }
    }

    private void reportReconnected() {
        if (broken) {
            broken = false;
            reconnectLog.info("[{}] the stream returns records again", label);
            context.listener().publish(listener -> listener.reconnected(partition.token()));
        }
    }

    private void reconnect(@Nullable SourceException cause) throws InterruptedException {
        if (intake.progressed()) {
            backoff.reset();
        }
        broken = true;
        Duration delay = backoff.next();
        failures = backoff.attempts() - 1;
        // Streams break now and then, and at the client's limit of an hour; only one that stays broken is logged as a
        // warning.
        reconnectLog
                .atLevel(backoff.attempts() < WARN_FROM_ATTEMPT ? Level.INFO : Level.WARN)
                .log(
                        "[{}] stream {}; querying again from {} in {} (attempt {})",
                        label,
                        cause == null
                                ? "ended without a proof of the partition's end"
                                : "broke: " + LoggedFailure.message(cause),
                        intake.position(),
                        DurationText.of(delay),
                        backoff.attempts());
        context.listener()
                .publish(listener -> listener.reconnecting(partition.token(), backoff.attempts(), delay, cause));
        queries.pause(delay);
    }

    private void finish(PartitionEnd proof) throws InterruptedException {
        if (!watermarks.finish(partition, proof, this::isActive)) {
            partition.revoke();
            return;
        }
        log.info("[{}] finished at {} by {}", label, proof.at(), proof.kind());
        context.listener().publish(listener -> listener.partitionFinished(partition.token(), proof));
    }

    /**
     * Returns whether the partition is still to be read or finished; once false, it stays false. A dispatcher that
     * stopped because of a failed delivery has taken one record less than was read.
     */
    boolean isActive() {
        return !stopRequested && !dispatcher.isStopping() && partition.isHeld();
    }

    private boolean isReading() {
        return isActive() && !isHandingOver();
    }

    private void stopForLostLease() {
        log.warn(
                "[{}] the lease of epoch {} is lost: this worker stops reading the partition and delivers and writes nothing more of it; the partition is read again from its stored watermark when a worker claims it",
                label,
                partition.lease().epoch());
        context.listener()
                .publish(listener ->
                        listener.leaseLost(partition.token(), partition.lease().epoch()));
        stop();
    }

    void cancelIfStalled() {
        queries.cancelIfStalled();
    }

    /**
     * Stops reading and lets all changes in flight settle; then {@link #run} returns, and the partition can be
     * released. A partition that reaches its end meanwhile is finished.
     */
    void handOver() {
        if (!isHandingOver()) {
            handingOverSince = OptionalLong.of(context.time().nanoTime());
        }
        queries.close();
        gate.wake();
    }

    boolean isHandingOver() {
        return handingOverSince.isPresent();
    }

    /**
     * Returns the start of the hand-over, on the engine's monotonic clock; empty if the partition is not being handed
     * over.
     */
    OptionalLong handingOverSince() {
        return handingOverSince;
    }

    /** Returns the time when the reader was created, on the engine's monotonic clock. */
    long openedAt() {
        return openedAt;
    }

    /** Stops reading and dispatching; a started record may finish. */
    void stop() {
        stopRequested = true;
        dispatcher.stop();
        queries.close();
        gate.wake();
    }

    /** Stops, and interrupts the started record. */
    void cancel() {
        dispatcher.cancel();
        stop();
    }

    void ended() {
        ended = true;
    }

    /** Returns whether neither its thread nor a call of the consumer is under way. */
    boolean isIdle() {
        return ended && dispatcher.isIdle();
    }

    /** Returns the departure of keys to that partition at that time; empty if it was not read, or may not be relied on. */
    Optional<OrderGate.Departure> departure(PartitionToken destination, Instant at) {
        return isReading()
                ? partition
                        .moveOuts()
                        .pendingBefore(at, destination)
                        .flatMap(pending -> gate.departure(at, destination, pending))
                : Optional.empty();
    }

    /** Returns the departure of all keys at the end; empty if that was not read, or may not be relied on. */
    Optional<OrderGate.Departure> departureAtEnd(PartitionToken child) {
        PendingLanes pending = pendingAtEnd;
        return pending != null && isActive() ? gate.departure(Instant.MAX, child, pending) : Optional.empty();
    }

    /** Returns whether no query is open or about to be. */
    boolean isReadToEnd() {
        return pendingAtEnd != null;
    }

    OrderGate gate() {
        return gate;
    }

    void wake() {
        gate.wake();
    }

    HeldPartition partition() {
        return partition;
    }

    ChangeDispatcher dispatcher() {
        return dispatcher;
    }
}
