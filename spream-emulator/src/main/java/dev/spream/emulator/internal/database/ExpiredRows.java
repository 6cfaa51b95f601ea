package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.sql.DdlStatement.DeletionPolicy;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.sql.Translation;
import dev.spream.emulator.internal.stream.ClockTicks;
import dev.spream.emulator.internal.stream.CommitClock;
import dev.spream.emulator.internal.stream.EmulatorThreads;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The background thread of a database that deletes the rows that have expired by their table's row deletion policy, in
 * transactions of Spanner itself. It runs once a second, or after each move of a clock that a test moves; Spanner deletes
 * a row within about 72 hours.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/ttl#auditing">Spanner: the deletions in change streams</a>
 */
final class ExpiredRows implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ExpiredRows.class);
    private static final String TAG = "RowDeletionPolicy";
    private static final Duration PERIOD = Duration.ofSeconds(1);
    private static final int ROWS_OF_A_TRANSACTION = 1000;

    private final EmulatedDatabase database;
    private final CommitClock clock;
    private final ClockTicks ticks;

    ExpiredRows(EmulatedDatabase database, CommitClock clock) {
        this.database = database;
        this.clock = clock;
        this.ticks = clock.ticks();
    }

    void start() {
        EmulatorThreads.builder().name("spream-emulator-expired-rows").start(this::run);
    }

    private void run() {
        try {
            while (ticks.await(PERIOD)) {
                database.schema()
                        .tables()
                        .forEach(table ->
                                table.definition().deletionPolicy().ifPresent(policy -> delete(table, policy)));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void delete(StoredTable table, DeletionPolicy policy) {
        OffsetDateTime limit =
                clock.time().minus(Duration.ofDays(policy.days())).atOffset(ZoneOffset.UTC);
        String expired = "%s WHERE %s < ?1"
                .formatted(
                        table.quotedName(),
                        SqlTranslator.quoted(table.column(policy.column()).name()));
        Translation deletion = new Translation(
                "DELETE FROM %s FETCH FIRST %d ROWS ONLY".formatted(expired, ROWS_OF_A_TRANSACTION),
                List.of(limit),
                table.name(),
                Set.of(),
                false,
                List.of());
        try {
            while (exists("SELECT 1 FROM " + expired + " FETCH FIRST ROW ONLY", limit)) {
                commit(deletion);
            }
        } catch (StatusRuntimeException e) {
            log.debug("expired rows of table {} remain; they are deleted later", table.name(), e);
        }
    }

    private boolean exists(String query, OffsetDateTime limit) {
        return database.engine().read(connection -> {
            try (var statement = Statements.prepare(connection, query, List.of(limit));
                    var rows = statement.executeQuery()) {
                return rows.next();
            }
        });
    }

    private void commit(Translation deletion) {
        ReadWriteTransaction transaction = database.transactions().beginSystem(TAG);
        try {
            transaction.dml(deletion, Reads::none);
            transaction.commit(List.of(), "");
        } finally {
            transaction.rollback();
        }
    }

    /** Ends the thread after its current transaction. */
    @Override
    public void close() {
        ticks.close();
    }
}
