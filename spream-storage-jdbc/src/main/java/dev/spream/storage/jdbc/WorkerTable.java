package dev.spream.storage.jdbc;

import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The workers of a subscription, by the server's clock. */
record WorkerTable(Database database, String subscription) {
    private static final Comparator<WorkerRegistration> BY_AGE = Comparator.comparing(WorkerRegistration::registeredAt)
            .thenComparing(registration -> registration.worker().value());

    private static final String REGISTER = """
            INSERT INTO @workers AS w (subscription, worker, capacity, whole_transactions,
                low_watermark, low_watermark_as_of, registered_at, alive_until)
            SELECT ?, ?, ?, ?, ?::numeric, ?::numeric, clock.now, clock.now + ? * interval '1 microsecond'
            FROM (SELECT clock_timestamp() AS now) AS clock
            ON CONFLICT (subscription, worker) DO UPDATE
            SET capacity = excluded.capacity, whole_transactions = excluded.whole_transactions,
                low_watermark = excluded.low_watermark, low_watermark_as_of = excluded.low_watermark_as_of,
                alive_until = excluded.alive_until""";

    private static final String UNREGISTER = "DELETE FROM @workers WHERE subscription = ? AND worker = ?";

    private static final String SELECT = """
            SELECT w.*, clock.now
            FROM (SELECT clock_timestamp() AS now) AS clock
            JOIN @workers w ON w.subscription = ?""";

    /** Skips workers whose rows are being renewed or expired by another process. */
    private static final String EXPIRE = """
            WITH expired AS (
                SELECT subscription, worker FROM @workers
                WHERE subscription = ? AND alive_until <= clock_timestamp()
                FOR UPDATE SKIP LOCKED
            )
            DELETE FROM @workers w USING expired e WHERE w.subscription = e.subscription AND w.worker = e.worker""";

    void register(
            WorkerId worker,
            int capacity,
            boolean wholeTransactions,
            Optional<WorkerProgress> progress,
            Duration aliveTime) {
        database.update(
                what("registering", worker),
                REGISTER,
                p -> p.text(subscription)
                        .text(worker.value())
                        .number(capacity)
                        .flag(wholeTransactions)
                        .decimal(progress.flatMap(WorkerProgress::lowWatermark)
                                .map(JdbcTimestamps::exact)
                                .orElse(null))
                        .decimal(progress.map(WorkerProgress::asOf)
                                .map(JdbcTimestamps::exact)
                                .orElse(null))
                        .number(JdbcTimestamps.micros(aliveTime)));
    }

    void unregister(WorkerId worker) {
        database.update(
                what("unregistering", worker),
                UNREGISTER,
                p -> p.text(subscription).text(worker.value()));
    }

    List<WorkerRegistration> list() {
        return sorted(database.rows(
                "listing the workers of subscription '%s'".formatted(subscription),
                SELECT,
                p -> p.text(subscription),
                WorkerTable::registration));
    }

    /** Returns the workers within a transaction. */
    List<WorkerRegistration> list(Statements statements) throws SQLException {
        return sorted(statements.rows(SELECT, p -> p.text(subscription), WorkerTable::registration));
    }

    private static List<WorkerRegistration> sorted(List<WorkerRegistration> workers) {
        return workers.stream().sorted(BY_AGE).toList();
    }

    int expire() {
        return database.update(
                "expiring workers of subscription '%s'".formatted(subscription), EXPIRE, p -> p.text(subscription));
    }

    private String what(String verb, WorkerId worker) {
        return "%s worker %s of subscription '%s'".formatted(verb, worker, subscription);
    }

    /** Returns the registrations of workers that are alive, from an array of their columns as text; null for none. */
    static List<WorkerRegistration> alive(@Nullable Array columns) throws SQLException {
        if (columns == null) {
            return List.of();
        }
        List<WorkerRegistration> alive = new ArrayList<>();
        for (@Nullable String[] worker : (String[][]) columns.getArray()) {
            alive.add(new WorkerRegistration(
                    new WorkerId(worker[0]),
                    Integer.parseInt(worker[1]),
                    Boolean.parseBoolean(worker[2]),
                    JdbcTimestamps.instant(new BigDecimal(worker[3])),
                    JdbcTimestamps.instant(new BigDecimal(worker[4])),
                    Optional.ofNullable(worker[6])
                            .map(asOf -> new WorkerProgress(
                                    Optional.ofNullable(worker[5])
                                            .map(low -> JdbcTimestamps.instant(new BigDecimal(low))),
                                    JdbcTimestamps.instant(new BigDecimal(asOf)))),
                    true));
        }
        return alive;
    }

    private static WorkerRegistration registration(ResultSet row) throws SQLException {
        Instant aliveUntil = JdbcTimestamps.clock(row, "alive_until");
        return new WorkerRegistration(
                new WorkerId(row.getString("worker")),
                row.getInt("capacity"),
                row.getBoolean("whole_transactions"),
                JdbcTimestamps.clock(row, "registered_at"),
                aliveUntil,
                progress(row),
                aliveUntil.isAfter(JdbcTimestamps.clock(row, "now")));
    }

    static Optional<WorkerProgress> progress(ResultSet row) throws SQLException {
        @Nullable BigDecimal lowWatermark = row.getBigDecimal("low_watermark");
        @Nullable BigDecimal asOf = row.getBigDecimal("low_watermark_as_of");
        return asOf == null
                ? Optional.empty()
                : Optional.of(new WorkerProgress(
                        Optional.ofNullable(lowWatermark).map(JdbcTimestamps::instant), JdbcTimestamps.instant(asOf)));
    }
}
