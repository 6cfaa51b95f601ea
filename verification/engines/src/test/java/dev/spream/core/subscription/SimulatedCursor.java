package dev.spream.core.subscription;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A query of a simulated stream: shows a row when its time has come, heartbeats while there is none for so long, and ends
 * with OK behind the last child record, or when the time is past the end that was asked for. Or it breaks, stalls, repeats
 * rows, or ends with OK before its time; that only while it proves nothing: before any child record, and if it was issued
 * before the end that was asked for.
 */
final class SimulatedCursor implements ChangeStreamCursor {

    private enum Fate {
        GOOD,
        BREAK,
        STALL,
        EARLY_OK,
        FATAL
    }

    private final PartitionQuery query;
    private final List<ChangeRecord> rows;
    private final Instant partitionEnd;
    private final SimulatedPorts ports;
    private final SimulationJudge judge;
    private final Instant end;
    private final Fate fate;
    private final int fateAfterRows;

    private int next;
    private Instant lastLife;
    private @Nullable Thread waiting;
    private boolean closed;

    SimulatedCursor(
            PartitionQuery query,
            List<ChangeRecord> rows,
            Instant partitionEnd,
            SimulatedPorts ports,
            SimulationJudge judge) {
        this.query = query;
        this.rows = rows;
        this.partitionEnd = partitionEnd;
        this.ports = ports;
        this.judge = judge;
        this.end = query.endTimestamp().orElseThrow();
        this.lastLife = now();
        this.fate = fate();
        this.fateAfterRows = fate == Fate.GOOD ? 0 : ports.trouble.random.nextInt(rows.size() + 1);
    }

    private Fate fate() {
        SimulatedTrouble trouble = ports.trouble;
        if (trouble.strikes(trouble.streamBreak)) {
            return Fate.BREAK;
        }
        if (trouble.strikes(trouble.stall)) {
            return Fate.STALL;
        }
        if (!now().isAfter(end) && !query.token().isOfSnapshot() && trouble.strikes(trouble.earlyOk)) {
            return Fate.EARLY_OK;
        }
        return trouble.strikes(trouble.sourceFatal) ? Fate.FATAL : Fate.GOOD;
    }

    @Override
    public Optional<ChangeRecord> next() throws InterruptedException {
        ports.pass("next of %s", query.token());
        ports.delay();
        Optional<ChangeRecord> row = awaitRow();
        row.ifPresentOrElse(
                shown -> judge.source.read(ports.process, query.token(), shown),
                () -> judge.source.ended(ports.process, query.token()));
        ports.pass("next of %s is %s", query.token(), row.isPresent() ? describe(row.get()) : "OK");
        return row;
    }

    private Optional<ChangeRecord> awaitRow() throws InterruptedException {
        while (true) {
            requireOpen();
            Instant now = now();
            if (fate != Fate.GOOD && next >= fateAfterRows && meetsFate()) {
                return Optional.empty();
            }
            if (next < rows.size() && !rows.get(next).timestamp().isAfter(now)) {
                return Optional.of(nextRow());
            }
            if (next == rows.size() && (query.token().isRoot() || !partitionEnd.isAfter(end) || now.isAfter(end))) {
                return Optional.empty();
            }
            Instant heartbeat = lastLife.plus(query.heartbeatInterval());
            if (!heartbeat.isAfter(now) && !now.isBefore(query.startTimestamp())) {
                lastLife = now;
                ports.count(SimulationEvent.HEARTBEAT);
                return Optional.of(new HeartbeatRecord(now));
            }
            Instant wake = heartbeat.isAfter(now) ? heartbeat : now.plusSeconds(1);
            Instant turn = next < rows.size() ? rows.get(next).timestamp() : end.plusNanos(1);
            park(turn.isBefore(wake) ? turn : wake);
        }
    }

    private ChangeRecord nextRow() {
        SimulatedTrouble trouble = ports.trouble;
        lastLife = now();
        if (next > 0 && !isOfChildren(next - 1) && trouble.strikes(trouble.repeatedRow)) {
            ChangeRecord repeated = rows.get(trouble.random.nextInt(next));
            if (repeated instanceof DataChangeRecord || repeated instanceof PartitionEventRecord) {
                ports.count(
                        repeated instanceof DataChangeRecord
                                ? SimulationEvent.REPEATED_ROW
                                : SimulationEvent.REPEATED_EVENT);
                return repeated;
            }
        }
        return rows.get(next++);
    }

    /** Returns whether a stream that ends after that row may prove an end. */
    private boolean isOfChildren(int row) {
        return rows.get(row) instanceof ChildPartitionsRecord || query.token().isRoot();
    }

    /** Returns true if the stream ends with OK; otherwise it continues without its fault, or throws. */
    private boolean meetsFate() throws InterruptedException {
        boolean afterChild = next > 0 && isOfChildren(next - 1);
        switch (fate) {
            case GOOD -> {}
            case BREAK -> {
                ports.count(
                        afterChild && next < rows.size()
                                ? SimulationEvent.BREAK_BETWEEN_CHILDREN
                                : isAtMove() ? SimulationEvent.BREAK_AT_MOVE : SimulationEvent.BREAK);
                throw failure(SourceException.Kind.TRANSIENT, "UNAVAILABLE after " + next + " rows");
            }
            case FATAL -> {
                ports.count(SimulationEvent.SOURCE_FATAL);
                throw failure(SourceException.Kind.FATAL, "fatal after " + next + " rows");
            }
            case STALL -> {
                ports.count(SimulationEvent.STALL);
                while (true) {
                    park(now().plusSeconds(3600));
                    requireOpen();
                }
            }
            case EARLY_OK -> {
                if (!afterChild) {
                    ports.count(SimulationEvent.EARLY_OK);
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether the rows before and after this point are of one timestamp, and one of them of moved keys. */
    private boolean isAtMove() {
        return next > 0
                && next < rows.size()
                && rows.get(next - 1).timestamp().equals(rows.get(next).timestamp())
                && (rows.get(next - 1) instanceof PartitionEventRecord
                        || rows.get(next) instanceof PartitionEventRecord);
    }

    private SourceException failure(SourceException.Kind kind, String message) {
        ports.pass("next of %s is %s", query.token(), message);
        return new SourceException(kind, SimulatedFailure.message(message), null);
    }

    private void park(Instant until) throws InterruptedException {
        waiting = Thread.currentThread();
        ports.process.await(Duration.between(now(), until).toNanos(), () -> closed);
        waiting = null;
    }

    private void requireOpen() {
        if (closed) {
            ports.pass("next of %s is cancelled", query.token());
            throw new SourceException(SourceException.Kind.CANCELLED, "the query was closed", null);
        }
    }

    private Instant now() {
        return ports.process.trueTime();
    }

    /** Returns 1 if {@link #next} would return a row now, and nothing else. */
    @Override
    public int prefetched() {
        boolean isFaulty = fate != Fate.GOOD && next >= fateAfterRows;
        boolean isHere = next < rows.size() && !rows.get(next).timestamp().isAfter(now());
        return isHere && !isFaulty && !closed ? 1 : 0;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            ports.history.log(ports.process, "close of %s", query.token());
            judge.source.closed(ports.process, this);
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }
    }

    PartitionToken token() {
        return query.token();
    }

    PartitionQuery query() {
        return query;
    }

    private static Object describe(ChangeRecord row) {
        return row instanceof DataChangeRecord change ? SimulationJudge.describe(change) : row;
    }
}
