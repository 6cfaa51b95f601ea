package dev.spream.core.subscription.reading;

import dev.spream.core.DurationText;
import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.source.UndecodableChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The reading of one partition, query after query, from a position to its proven end. One thread reads; {@link
 * #cancelIfStalled} and {@link #close} may be called from any.
 *
 * <p>Queries always start at the last position, inclusive: records with the same timestamp may still be missing, and
 * a start one nanosecond later may be after the partition's end, where its children would never be returned.
 *
 * <p>An end is proven when one query returned child partitions and then ended with OK; or, in a bounded subscription,
 * when a query ended with OK, and another one, issued after the server's time had passed the end timestamp, ended
 * with OK too and brought nothing new. Children returned by a query that broke prove nothing: there may be more of
 * them. In a stream with mutable key ranges, a partition ends with its end record. In all other cases the reading
 * continues with another query.
 *
 * <p>After a gap in a stream with mutable key ranges, the initial query finds the partitions that live at its end: only
 * records in the gap name those that started there. It is run once all other partitions have been read up to then, since
 * those that they name start earlier.
 */
public final class PartitionReading implements AutoCloseable {
    /**
     * The logger for broken streams, a separate one so that a program can report them itself for all partitions
     * together.
     */
    private static final Logger reconnectLog = LoggerFactory.getLogger("dev.spream.core.subscription.Reconnect");

    private static final int WARN_FROM_ATTEMPT = 3;

    private final ChangeStreamSource source;
    private final PartitionToken token;
    private final String label;
    private final QueryWindow window;
    private final QuerySettings settings;
    private final RecordHandler handler;
    private final LossHandler losses;
    private final BooleanSupplier isReading;
    private final QueryRunner queries;

    // Confined to the reading's thread.
    private final RecordIntake intake;
    private final ExponentialBackoff backoff;
    private @Nullable Instant steppedBackTo;
    private boolean broken; // and no record since
    private boolean startedInFuture;
    private boolean endedWithOk;
    private volatile boolean afterGap; // and the partitions that live there are not found yet

    private volatile int failures; // queries in a row that brought nothing new

    /**
     * @param label the name of the partition at the start of log lines
     * @param position the position to begin at
     * @param isReading checked around each record; once false, it stays false, and code that makes it false also calls
     *     {@link #close}
     */
    public PartitionReading(
            ChangeStreamSource source,
            PartitionToken token,
            String label,
            ReadPosition position,
            QueryWindow window,
            QuerySettings settings,
            MonotonicTime time,
            ExponentialBackoff backoff,
            RecordHandler handler,
            LossHandler losses,
            BooleanSupplier isReading) {
        this.source = source;
        this.token = token;
        this.label = label;
        this.window = window;
        this.settings = settings;
        this.handler = handler;
        this.losses = losses;
        this.isReading = isReading;
        this.backoff = backoff;
        this.intake = new RecordIntake(label, position, handler);
        this.queries = new QueryRunner(
                source, time, beforeFirstRow -> settings.stallTimeout(beforeFirstRow, failures), isReading);
    }

    /** Returns the timestamp up to which the partition has been read, at which the next query starts, inclusive. */
    public Instant position() {
        return intake.position();
    }

    /**
     * Returns the time before which every partition that this one names is stored, which may be later than its watermark.
     * Empty if that is not known: at the end of a gap, or without mutable key ranges. Any thread may call it.
     */
    public Optional<Instant> discoveredUntil() {
        Instant read = intake.position(); // first: a gap is noted before the position moves to its end
        return afterGap || !window.isMutable() ? Optional.empty() : Optional.of(read);
    }

    /** Notes, before the reading, that changes before the position are in a gap. */
    public void startAfterGap() {
        afterGap = window.isMutable() && !token.isRoot() && !token.isOfSnapshot();
    }

    /** Reads to the partition's end; returns its proof, or empty if the reading was stopped before. */
    public Optional<PartitionEnd> readToEnd() throws InterruptedException {
        while (isReading.getAsBoolean()) {
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
        if (afterGap) {
            return findLiving();
        }
        if (startedInFuture) {
            startedInFuture = !queries.awaitServerPassed(queryStart());
        }
        PartitionQuery query = query();
        boolean serverPassedEnd =
                endedWithOk && queries.awaitServerPassed(query.endTimestamp().orElseThrow());
        return switch (queries.run(query, new Taken())) {
            case StreamEnd.Ok ok -> endOfStream(query, serverPassedEnd);
            case StreamEnd.Broken(SourceException cause) -> recover(cause);
            case StreamEnd.Stopped stopped -> intake.end();
        };
    }

    private Optional<PartitionEnd> findLiving() throws InterruptedException {
        Instant at = intake.position();
        intake.readUpTo(at);
        if (!handler.awaitOthers(at)) {
            return Optional.empty();
        }
        if (handler.isLivingStored(at)) {
            afterGap = !isReading.getAsBoolean();
            intake.foundLiving(at);
            return Optional.empty();
        }
        try {
            return findLiving(at);
        } finally {
            handler.searchedLiving(at, !afterGap);
        }
    }

    private Optional<PartitionEnd> findLiving(Instant at) throws InterruptedException {
        PartitionQuery query = new PartitionQuery(
                PartitionToken.ROOT,
                at,
                window.endOf(at),
                settings.heartbeatInterval(),
                OptionalLong.of(settings.prefetchBytes()));
        List<String> living = new ArrayList<>();
        switch (queries.run(query, record -> collect(record, living))) {
            case StreamEnd.Ok ok -> {
                if (living.isEmpty()) {
                    reconnect(null);
                } else if (intake.takeLiving(living, at, token)) {
                    afterGap = false;
                    intake.foundLiving(at);
                }
            }
            case StreamEnd.Broken(SourceException cause) -> {
                return recover(cause);
            }
            case StreamEnd.Stopped stopped -> {}
        }
        return Optional.empty();
    }

    private static boolean collect(ChangeRecord record, List<String> living) {
        living.addAll(LivingPartitions.of(record));
        return true;
    }

    private PartitionQuery query() {
        return new PartitionQuery(
                window.queried(token),
                queryStart(),
                window.endOf(queryStart()),
                settings.heartbeatInterval(),
                OptionalLong.of(settings.prefetchBytes()));
    }

    /** Runs a query of another partition, between those of this one. */
    public StreamEnd run(PartitionQuery query, QueryRunner.Taker taker) throws InterruptedException {
        return queries.run(query, taker);
    }

    private Optional<PartitionEnd> endOfStream(PartitionQuery query, boolean serverPassedEnd)
            throws InterruptedException {
        if (window.isMutable() && !token.isRoot()) {
            return endOfWindow(query, serverPassedEnd);
        }
        if (intake.broughtChildren()) {
            return Optional.of(intake.proofByChildren());
        }
        if (window.endTimestamp().isEmpty() || intake.hasChildren() || token.isRoot()) {
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
        } else if (source.serverTime().isAfter(end)) {
            endedWithOk = true;
        } else {
            reconnect(null); // it ended early
        }
        return Optional.empty();
    }

    /** Handles the failure of a stream; returns the proof of the partition's end, if it found one. */
    private Optional<PartitionEnd> recover(SourceException failure) throws InterruptedException {
        if (!isReading.getAsBoolean()) {
            return Optional.empty();
        }
        endedWithOk &= !window.isMutable(); // the next query may be of another window
        switch (failure.kind()) {
            case TRANSIENT -> reconnect(failure);
            case RETENTION_LOST, PARTITION_EXPIRED -> {
                return handleLoss(failure);
            }
            case OUTSIDE_PARTITION -> stepBack(failure);
            case START_IN_FUTURE -> {
                reconnect(failure);
                startedInFuture = true;
            }
            case CANCELLED, NOT_FOUND, PERMISSION_DENIED, MALFORMED, FATAL -> throw handler.unreadable(failure);
        }
        return Optional.empty();
    }

    private Optional<PartitionEnd> handleLoss(SourceException failure) throws InterruptedException {
        // A partition that ended before the retention period has expired, whichever error the server returns.
        boolean expired = failure.kind() == SourceException.Kind.PARTITION_EXPIRED || steppedBackTo != null;
        try {
            return losses.accept(failure, expired);
        } catch (SourceException e) {
            if (e.kind() != SourceException.Kind.TRANSIENT) {
                throw handler.unreadable(e);
            }
            reconnect(e);
            return Optional.empty();
        }
    }

    /** Continues at that time: earlier changes are lost, and the loss is recorded. All records taken are settled. */
    public void skipTo(Instant beginning) throws InterruptedException {
        startAfterGap();
        intake.skipTo(beginning);
    }

    /**
     * A position past the partition's end proves nothing: the children returned at its end may not have been read. It
     * is read again from there.
     */
    private void stepBack(SourceException failure) throws InterruptedException {
        Instant end = failure.validUntil().orElseThrow(() -> handler.unreadable(failure));
        if (!end.isBefore(queryStart())) {
            throw handler.unreadable(failure);
        }
        steppedBackTo = end;
        reconnect(failure);
    }

    private Instant queryStart() {
        Instant back = steppedBackTo;
        return back == null ? intake.position() : back;
    }

    /** Passes the records of a query on to the intake; the first one shows that a broken stream works again. */
    private final class Taken implements QueryRunner.Taker {
        @Override
        public boolean take(ChangeRecord record) throws InterruptedException {
            noteReconnected();
            if (!(record instanceof DataChangeRecord)) {
                handler.handOver();
            }
            return intake.take(record);
        }

        @Override
        public boolean takeUndecodable(UndecodableChange change, SourceException failure) throws InterruptedException {
            noteReconnected();
            handler.handOver();
            return intake.takeUndecodable(change, failure);
        }

        @Override
        public void handOver() {
            handler.handOver();
        }
    }

    private void noteReconnected() {
        if (broken) {
            broken = false;
            reconnectLog.info("[{}] the stream returns records again", label);
            handler.reconnected();
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
        handler.reconnecting(backoff.attempts(), delay, cause);
        queries.pause(delay);
    }

    /** Cancels the query if it has returned nothing for too long; it is then repeated. Called periodically. */
    public void cancelIfStalled() {
        queries.cancelIfStalled();
    }

    /** Cancels the open query, and ends a wait. */
    @Override
    public void close() {
        queries.close();
    }
}
