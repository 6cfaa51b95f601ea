package dev.spream.storage.jdbc.projection.version;

import dev.spream.projection.CutoverReport;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.storage.jdbc.projection.internal.ProjectionAuditTable;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import dev.spream.storage.jdbc.projection.internal.StatementBatch;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Makes another version live: the transaction of a cutover or a rollback. */
record VersionSwitch(ProjectionDatabase database) {
    /** The time limit of the transaction in addition to its waits. */
    private static final Duration WORK = Duration.ofSeconds(20);

    /** The time to wait for its own rows, such as those locked by renewals of leases, after readers are locked out. */
    private static final Duration ROWS = Duration.ofSeconds(1);

    private static final String FOLLOWED = """
            UPDATE @projection_parked_keys p SET followed = greatest(p.followed, old.last_version, coalesce(
                (SELECT q.followed FROM @projection_parked_keys q WHERE q.projection = old.projection AND q.key = old.key), 0))
            FROM @projection_keys old
            WHERE p.projection = ? AND old.projection = ? AND old.key = p.key""";

    private static final String RETIRE = """
            UPDATE @projection_versions v SET role = 'RETIRED', measured_at = clock_timestamp(), rate = NULL,
                measured = (SELECT coalesce(sum(s.dealt), 0) FROM @projection_segments s WHERE s.projection = v.state)
            WHERE projection = ? AND role = 'LIVE'""";

    private static final String BECOME_LIVE =
            "UPDATE @projection_versions SET role = 'LIVE' WHERE projection = ? AND version = ?";

    private static final String EPOCHS = """
            UPDATE @projection_states p SET epoch = p.epoch + 1, updated_at = clock_timestamp(),
                status = CASE WHEN p.status NOT IN ('RUNNING', 'REBUILDING') THEN p.status
                    WHEN v.role = 'LIVE' THEN 'RUNNING' ELSE 'REBUILDING' END
            FROM @projection_versions v
            WHERE v.state = p.projection_name AND p.projection_name = ANY (?::text[])""";

    /** Releases the segments; former owners claim them again and then read the new roles. */
    private static final String RELEASE = """
            UPDATE @projection_segments s SET epoch = s.epoch + 1, owner = NULL, lease_until = NULL
            FROM (SELECT projection, segment FROM @projection_segments WHERE projection = ANY (?::text[])
                ORDER BY projection, segment FOR NO KEY UPDATE) AS locked
            WHERE s.projection = locked.projection AND s.segment = locked.segment""";

    /** The result of the transaction, and the time since which no events were applied. */
    private record Switched(int from, long began, CutoverReport.Losses losses) {}

    CutoverReport run(String projection, int version, Duration timeout, Set<CutoverReport.Loss> accepted, Act act) {
        Switched switched = database.withTimeout(timeout.plus(WORK))
                .inTransaction(
                        "cutting projection '%s' over to version %d".formatted(projection, version),
                        "which version is live ('projection show %s')".formatted(projection),
                        transaction -> change(transaction, projection, version, timeout, accepted, act));
        Duration pause = Duration.ofNanos(System.nanoTime() - switched.began());
        return new CutoverReport(projection, switched.from(), version, pause, switched.losses());
    }

    private Switched change(
            ProjectionTransaction transaction,
            String projection,
            int version,
            Duration timeout,
            Set<CutoverReport.Loss> accepted,
            Act act)
            throws SQLException {
        LiveAndCandidate pair = LiveAndCandidate.take(transaction, projection, version);
        PairStatus.ask(transaction, pair).requireExchangeable(pair);
        TableExchange tables = new TableExchange(transaction, pair);
        tables.requireSame();
        QuiescedVersions stand = new QuiescedVersions(database, transaction, pair, timeout);
        stand.requireNear();
        SnapshotBarrier.await(transaction, pair, timeout);
        long began = stand.begin();
        PairStatus.ask(transaction, pair).requireExchangeable(pair);
        CutoverReport.Losses losses = CutoverLosses.count(transaction, pair);
        int from = pair.live().version().version();
        losses.requireAccepted(accepted, projection, from, version);
        tables.run(stand);
        exchange(transaction, pair);
        ProjectionAuditTable.add(
                transaction,
                projection,
                CutoverReport.action(from, version),
                "version %d -> version %d".formatted(from, version),
                act);
        return new Switched(from, began, losses);
    }

    private static void exchange(ProjectionTransaction transaction, LiveAndCandidate pair) throws SQLException {
        String live = pair.live().state();
        String other = pair.other().state();
        List<String> both = List.of(live, other);
        QuiescedVersions.limitLocks(transaction, ROWS);
        StatementBatch trip = transaction.next();
        trip.update(FOLLOWED, p -> p.text(other).text(live));
        trip.update(RETIRE, p -> p.text(pair.projection()));
        trip.update(
                BECOME_LIVE,
                p -> p.text(pair.projection()).number(pair.other().version().version()));
        trip.update(EPOCHS, p -> p.texts(both));
        trip.update(RELEASE, p -> p.texts(both));
        trip.run();
    }
}
