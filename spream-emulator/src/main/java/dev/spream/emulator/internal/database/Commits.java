package dev.spream.emulator.internal.database;

import com.google.protobuf.ByteString;
import dev.spream.emulator.control.CommitLog;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.engine.WriterView;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.CommitHistory;
import dev.spream.emulator.internal.schema.CommitHistory.FormerRow;
import dev.spream.emulator.internal.schema.RowKey;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.stream.ChangeStreams;
import dev.spream.emulator.internal.stream.ClockTicks;
import dev.spream.emulator.internal.stream.CommitClock;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The order of a database's commits: each becomes visible at one moment, to views of the rows, to the change streams and
 * to the logs. Safe for use by many threads.
 */
final class Commits {
    private final InstantSource time;
    private final CommitClock clock;
    private final ChangeStreams streams;
    private final CommitHistory history;
    private final List<RecordedCommits> logs = new CopyOnWriteArrayList<>();

    /** Held while a commit becomes visible, and while a view is taken. */
    private final ReentrantLock visibility = new ReentrantLock();

    private volatile Instant lastCommit = Instant.EPOCH;

    Commits(InstantSource time, CommitClock clock, ChangeStreams streams) {
        this.time = time;
        this.clock = clock;
        this.streams = streams;
        this.history = new CommitHistory(clock.now());
    }

    /** Returns the present time, or the last commit timestamp if that is later. */
    Instant latestTime() {
        Instant present = time.instant();
        return lastCommit.isAfter(present) ? lastCommit : present;
    }

    /** Returns the begin time, for {@link #publish}, of a commit that has read nothing. */
    long begin() {
        return clock.begin();
    }

    /**
     * Makes a commit visible; nothing else is committed and no view is taken meanwhile.
     *
     * @param rows the rows that it writes
     * @param commit commits at the given time
     */
    <T> T publish(long begun, Set<RowKey> rows, Function<Instant, T> commit) {
        visibility.lock();
        try {
            return clock.commit(begun, rows, at -> {
                T committed = commit.apply(at);
                lastCommit = at;
                return committed;
            });
        } finally {
            visibility.unlock();
        }
    }

    /**
     * Returns the addition of a commit to the history, the logs and the change streams, which runs within {@link
     * #publish} once its rows are visible.
     */
    Runnable addition(Commit commit) {
        CommitHistory.Former former = CommitHistory.before(commit);
        return () -> {
            history.add(former);
            logs.forEach(log -> log.add(commit));
            streams.commit(commit);
        };
    }

    /** Returns whether a commit after that position changed something that was read. */
    boolean changedSince(long position, Predicate<RowKey> read) {
        return history.changedSince(position, read);
    }

    /** Returns a log of the commits from now on. */
    CommitLog record() {
        RecordedCommits log = new RecordedCommits();
        logs.add(log);
        return log;
    }

    /** Returns a view of the latest commit for a read-write transaction. */
    WriterView writerView(Engine engine) throws SQLException {
        visibility.lock();
        try {
            return WriterView.begin(engine.writer(), history.position());
        } finally {
            visibility.unlock();
        }
    }

    /** Returns a view of the latest commit. */
    Snapshot snapshot(ByteString id, Engine engine) {
        visibility.lock();
        try {
            return new Snapshot(id, clock.now(), engine.openSnapshot());
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        } finally {
            visibility.unlock();
        }
    }

    /**
     * Returns a view of the rows as of that time, which has come.
     *
     * @throws StatusRuntimeException FAILED_PRECONDITION if the rows as of that time are not kept any more
     */
    Snapshot snapshot(ByteString id, Instant time, Engine engine, PastTables tables) {
        Map<String, List<FormerRow>> former;
        Snapshot snapshot;
        visibility.lock();
        try {
            former = history.rowsAt(time, clock.now()).orElseThrow(() -> notKept(time));
            Connection connection = engine.openSnapshot();
            tables.create(connection, former.keySet());
            snapshot = new Snapshot(id, time, connection);
        } catch (SQLException e) {
            throw EngineErrors.toStatus(e);
        } finally {
            visibility.unlock();
        }
        try {
            return snapshot.read(connection -> {
                tables.fill(connection, former);
                return snapshot;
            });
        } catch (RuntimeException e) {
            snapshot.close();
            throw e;
        }
    }

    private static StatusRuntimeException notKept(Instant time) {
        return Errors.failedPrecondition(
                "Read-only transaction timestamp %s has exceeded the maximum timestamp staleness: the emulator keeps the"
                        + " past of an hour and of %d MiB of changed rows, but not from before a change of a table's"
                        + " definition",
                time, CommitHistory.MAX_BYTES >> 20);
    }

    /** Waits until that time has come, or until the call that waits is cancelled. */
    void await(Instant time) {
        Instant wanted = time.truncatedTo(ChronoUnit.MICROS);
        if (!clock.now().isBefore(wanted)) {
            return;
        }
        ClockTicks ticks = clock.ticks();
        Context call = Context.current();
        Context.CancellationListener cancelled = context -> ticks.close();
        call.addListener(cancelled, Runnable::run);
        try (ticks) {
            while (clock.now().isBefore(wanted)) {
                if (!ticks.await(Duration.between(clock.now(), wanted))) {
                    throw Status.CANCELLED
                            .withDescription("The read was cancelled while it waited for " + time)
                            .asRuntimeException();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Status.CANCELLED.withCause(e).asRuntimeException();
        } finally {
            call.removeListener(cancelled);
        }
    }

    /** Forgets the rows of the past, which a schema change has made unreadable. */
    void forget() {
        history.clear(clock.now());
    }
}
