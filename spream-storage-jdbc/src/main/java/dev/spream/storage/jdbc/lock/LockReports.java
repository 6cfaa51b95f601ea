package dev.spream.storage.jdbc.lock;

import dev.spream.lock.LockKey;
import dev.spream.lock.LockReport;
import dev.spream.lock.LockReport.BucketWaits;
import dev.spream.lock.inspection.LockObservation;
import dev.spream.lock.inspection.LockObservation.Reported;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import dev.spream.storage.jdbc.lock.dialect.ReportSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The stored reports of processes on their locks: the owners of each process, which each report replaces and which
 * expire after a minute, and the waits for each key by the hour. Rows are locked in the order of their keys, so
 * processes that report at once do not deadlock. Safe for use by many threads.
 */
final class LockReports {
    /**
     * The time after which a report expires: many times the usual interval between reports. An ended process is
     * recognised by its session, so a long time is harmless.
     */
    private static final Duration LIVE = Duration.ofMinutes(1);

    private static final long CLEAN_UP_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final String DROP_OWNERS = "DELETE FROM @hier_lock_owner WHERE process = ?";
    private static final int MAX_LABEL = 200;
    private static final Comparator<BucketWaits> IN_ORDER = Comparator.comparing(BucketWaits::key);

    private final LockTables tables;
    private final ReportSql sql;
    private final AtomicBoolean silent = new AtomicBoolean();
    private final AtomicLong nextCleanUp = new AtomicLong(System.nanoTime());

    LockReports(LockTables tables) {
        this.tables = tables;
        this.sql = tables.reports();
    }

    /**
     * Replaces the former report of the process, in a transaction of its own. The connection is in auto-commit mode.
     */
    void write(Connection connection, LockReport report) throws SQLException {
        boolean nothing = report.owners().isEmpty();
        if (silent.get() && nothing && report.waits().isEmpty()) {
            return;
        }
        inTransaction(connection, () -> {
            statements(connection).update(DROP_OWNERS, p -> p.text(report.process()));
            putOwners(connection, report);
            addWaits(connection, report);
        });
        silent.set(nothing);
        if (System.nanoTime() - nextCleanUp.get() >= 0) {
            nextCleanUp.set(System.nanoTime() + CLEAN_UP_NANOS);
            cleanUp(connection);
        }
    }

    private interface Work {
        void run() throws SQLException;
    }

    private static void inTransaction(Connection connection, Work work) throws SQLException {
        connection.setAutoCommit(false);
        try {
            work.run();
            connection.commit();
        } catch (Throwable t) {
            if (!connection.isClosed()) {
                connection.rollback();
            }
            throw t;
        } finally {
            if (!connection.isClosed()) {
                connection.setAutoCommit(true);
            }
        }
    }

    private Statements statements(Connection connection) {
        return new Statements(connection, tables::in);
    }

    private void putOwners(Connection connection, LockReport report) throws SQLException {
        if (report.owners().isEmpty()) {
            return;
        }
        try (PreparedStatement put = connection.prepareStatement(tables.in(sql.putOwner()))) {
            for (LockReport.Owner owner : report.owners()) {
                put.setString(1, report.process());
                put.setString(2, owner.session());
                put.setString(3, label(owner.label()));
                put.setString(4, TargetText.write(owner.held()));
                put.setString(5, TargetText.write(owner.wanted()));
                put.setLong(6, micros(owner.heldFor()));
                put.setLong(7, micros(owner.waitingFor()));
                put.setLong(8, micros(LIVE));
                put.addBatch();
            }
            put.executeBatch();
        }
    }

    /** Returns the label without the character 0, which PostgreSQL cannot store. */
    private static String label(String label) {
        String stored = label.replace('\0', ' ');
        return stored.length() <= MAX_LABEL ? stored : stored.substring(0, MAX_LABEL - 1) + "…";
    }

    private static long micros(Duration time) {
        return TimeUnit.MICROSECONDS.convert(time);
    }

    private void addWaits(Connection connection, LockReport report) throws SQLException {
        if (report.waits().isEmpty()) {
            return;
        }
        try (PreparedStatement add = connection.prepareStatement(tables.in(sql.addWaits()))) {
            for (BucketWaits waits : report.waits().stream().sorted(IN_ORDER).toList()) {
                add.setInt(1, waits.key().level());
                add.setLong(2, waits.key().bucket());
                add.setLong(3, waits.waits());
                add.setLong(4, micros(waits.waited()));
                add.addBatch();
            }
            add.executeBatch();
        }
    }

    /**
     * Removes the reports of processes that ended without removing them. Reads without locks first, because there are
     * rarely any.
     */
    private void cleanUp(Connection connection) throws SQLException {
        Statements statements = statements(connection);
        for (String process : statements.rows(sql.expired(), p -> {}, row -> row.getString(1))) {
            statements.update(sql.dropExpired(), p -> p.text(process));
        }
        statements.update(sql.dropWaits(), p -> p.number(LockObservation.WAITS_KEPT_HOURS));
    }

    /** Returns the last reports of live processes, the newest first. */
    List<Reported> owners(Connection connection) throws SQLException {
        return statements(connection)
                .rows(
                        sql.owners(),
                        p -> {},
                        row -> new Reported(
                                row.getString("process"),
                                new LockReport.Owner(
                                        row.getString("session"),
                                        row.getString("label"),
                                        TargetText.read(row.getString("held")),
                                        TargetText.read(row.getString("wanted")),
                                        age(row, "held_micros"),
                                        age(row, "waiting_micros"))));
    }

    /** Returns zero if the column is null. */
    private static Duration age(ResultSet row, String column) throws SQLException {
        return Duration.of(Math.max(0, row.getLong(column)), ChronoUnit.MICROS);
    }

    List<BucketWaits> waits(Connection connection) throws SQLException {
        return statements(connection)
                .rows(
                        sql.waits(),
                        p -> p.number(LockObservation.WAITS_KEPT_HOURS),
                        row -> new BucketWaits(
                                new LockKey(row.getInt("level"), row.getLong("bucket")),
                                row.getLong("waits"),
                                age(row, "waited_micros")));
    }
}
