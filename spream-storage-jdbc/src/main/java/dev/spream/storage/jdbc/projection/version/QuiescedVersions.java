package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ExclusiveVersionLock;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Quiesces the live version of a projection until another version has caught up with it, and then both until the
 * transaction ends. Confined to one thread.
 */
final class QuiescedVersions {
    /** Waits on the server, so that a query is one round trip. */
    private static final String WAIT = "SELECT pg_sleep(0.002)";

    /** The lag, in positions, that is normal for a running version. */
    private static final long NEAR = 20_000;

    /**
     * The time for which the session that blocks others may be idle before the server ends it; then all versions
     * continue as before.
     */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private final ProjectionDatabase database;
    private final ProjectionTransaction transaction;
    private final LiveAndCandidate pair;
    private final Duration timeout;
    private long end;

    QuiescedVersions(
            ProjectionDatabase database, ProjectionTransaction transaction, LiveAndCandidate pair, Duration timeout) {
        this.database = database;
        this.transaction = transaction;
        this.pair = pair;
        this.timeout = timeout;
    }

    /** @throws IllegalStateException if the other version is too far behind to catch up in time */
    void requireNear() throws SQLException {
        Optional<SegmentLag> far = SegmentLag.find(transaction, pair);
        if (far.isPresent() && far.get().positions() > Math.max(NEAR, far.get().rate() * timeout.toSeconds())) {
            throw far.get().refusal(pair);
        }
    }

    /**
     * Quiesces both versions, unless the other one is far behind.
     *
     * @return the time at which the live version was quiesced, by {@link System#nanoTime}
     * @throws IllegalStateException if one of them could not be locked exclusively, or if the other one did not catch
     *     up or was stopped
     */
    long begin() throws SQLException {
        requireNear();
        end = System.nanoTime() + timeout.toNanos();
        limit(transaction, "idle_in_transaction_session_timeout", SILENCE);
        takeAlone(pair.live());
        long began = System.nanoTime();
        Optional<SegmentLag> behind = SegmentLag.find(transaction, pair);
        while (behind.isPresent()) {
            if (left().isZero()) {
                throw behind.get().refusal(pair);
            }
            behind = awaited();
        }
        takeAlone(pair.other());
        return began;
    }

    /** Returns the remaining timeout, after the wait has begun. */
    Duration left() {
        return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    }

    /** Returns the lag a moment later, if the other version is still running. */
    private Optional<SegmentLag> awaited() throws SQLException {
        StatementBatch trip = transaction.next();
        trip.rows(WAIT, p -> {}, row -> true);
        List<PairStatus> status = PairStatus.ask(trip, pair);
        List<SegmentLag> behind = SegmentLag.ask(trip, pair);
        trip.run();
        status.getFirst().requireFollowing(pair);
        return behind.stream().findFirst();
    }

    private void takeAlone(VersionTable.Stored version) throws SQLException {
        limitLocks(transaction, left());
        try {
            ExclusiveVersionLock.take(transaction, version.state());
        } catch (ExclusiveVersionLock.NotHad e) {
            throw new IllegalStateException(
                    "version %d of projection '%s' could not be quiesced: %s; nothing was changed: try again, or end that session"
                            .formatted(
                                    version.version().version(),
                                    pair.projection(),
                                    ExclusiveVersionLock.holders(database, version.state())),
                    e);
        }
    }

    /** Limits all further lock waits of the transaction. */
    static void limitLocks(ProjectionTransaction transaction, Duration limit) throws SQLException {
        limit(transaction, "lock_timeout", limit);
    }

    private static void limit(ProjectionTransaction transaction, String setting, Duration limit) throws SQLException {
        transaction.rows(
                "SELECT set_config(?, ?, true)",
                p -> p.text(setting).text("%dms".formatted(Math.max(1, limit.toMillis()))),
                row -> true);
    }
}
