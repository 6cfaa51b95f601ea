package dev.spream.storage.jdbc.ledger;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.StorageException;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/**
 * A ledger in PostgreSQL of the changes that took effect there, written in the transaction of the effect, so that each
 * takes effect once. A change that is delivered again after a crash, a takeover or a lost confirmation has no effect,
 * nor do changes of a worker that continues after it lost its lease.
 * <pre>{@code
 * AppliedLedger ledger = AppliedLedger.builder(dataSource, "orders").build();
 * subscriber.run(ledger.consumer((connection, change) -> insertInto(connection, change)));
 * }</pre>
 *
 * <p>A ledger has a name and belongs to one subscription and one effect: two subscriptions that share one would skip
 * changes of each other. After a call, some of the rows below the subscription's low watermark are removed.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it at its end. The caller owns the data
 * source and closes it afterwards.
 *
 * <p>Correctness. A change is <em>applied</em> if its {@linkplain DataChangeRecord#identity identity} has a row, or if
 * it was committed before {@code settled_below}. Otherwise its row is written and it takes effect, in one transaction
 * at READ COMMITTED.
 *
 * <ul>
 *   <li>A transaction that writes the row of a change waits for another one that is writing it: a change that was
 *       committed there is applied, and one that was rolled back is not.
 *   <li>A process that is suspended within its transaction delays others with the same change, until the server ends
 *       its session after the statement timeout.
 *   <li>{@code settled_below} is a low watermark of the subscription, so every change before it is settled: applied
 *       here, or dropped by the error policy. A worker that still has such a change lost its lease, or reads it again;
 *       the change has no effect, and this is logged.
 *   <li>Every applier holds a shared lock of the ledger from before it reads {@code settled_below} to the end of its
 *       transaction. {@code settled_below} is raised under the same lock held exclusively, and rows below it are
 *       removed once that is committed. So an applier that reads the old value finds the rows, and one that does not
 *       find them reads the new value.
 *   <li>{@code covers_from} is the low watermark at the ledger's first change. A change from before it is delivered only if
 *       the subscription was started again from an earlier time, or from a worker that lost its lease before the ledger
 *       began. It is rejected, because it is unknown whether newer changes of its rows took effect.
 *   <li>A change that was dead-lettered and is {@linkplain Delivery#isReplay replayed} may be from any time. Only its
 *       row decides whether it is applied, and that row is never removed.
 * </ul>
 *
 * <p>A change that the error policy skipped or dead-lettered is not entered. It may be delivered again after a crash,
 * and then take effect after later changes of its key. A change whose commit was not confirmed and that was then
 * dead-lettered takes effect once more if it is replayed after its row was removed. The policy park-key prevents the
 * former, and stop prevents both.
 *
 * <p>A subscription that lost its partitions and starts again from the same time or a later one continues at the
 * ledger's state. If a later start skipped changes, starting again earlier does not apply them once newer changes are
 * settled.
 */
public final class AppliedLedger {
    /** The default schema of the tables. */
    public static final String DEFAULT_SCHEMA = TablesBuilder.DEFAULT_SCHEMA;

    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

    private static final int MAX_NAME_LENGTH = 200;

    private final Transactions transactions;
    private final String name;
    private final LedgerEntries entries;
    private final LedgerPruning pruning;
    private final SkippedChanges skipped;

    private AppliedLedger(
            Transactions transactions,
            String name,
            LedgerEntries entries,
            LedgerPruning pruning,
            SkippedChanges skipped) {
        this.transactions = transactions;
        this.name = name;
        this.entries = entries;
        this.pruning = pruning;
        this.skipped = skipped;
    }

    /**
     * Returns the builder of a ledger.
     *
     * @param name the name of the ledger in its schema, 1 to 200 characters: preferably the subscription's name, if it
     *     has one effect in this database
     */
    public static Builder builder(DataSource dataSource, String name) {
        return new Builder(dataSource, requireNonNull(name, "name"));
    }

    public String name() {
        return name;
    }

    /** Returns a consumer that applies this effect once for each change, in a transaction of its own. */
    public Consumer consumer(Effect effect) {
        requireNonNull(effect, "effect");
        return (change, delivery) -> apply(
                List.of(change),
                List.of(delivery),
                (connection, changes) -> effect.apply(connection, changes.getFirst()));
    }

    /** Returns a consumer that applies this effect once for each change, in one transaction for a whole batch. */
    public BatchConsumer batchConsumer(BatchEffect effect) {
        requireNonNull(effect, "effect");
        return batch -> {
            List<Delivery> deliveries = new ArrayList<>();
            for (int i = 0; i < batch.changes().size(); i++) {
                deliveries.add(batch.delivery(i));
            }
            apply(batch.changes(), deliveries, effect);
        };
    }

    /**
     * Applies the effect to the changes that are not applied yet, in their order, in one transaction. Does not call the
     * effect if there are none.
     *
     * @param deliveries the circumstances of each change
     * @throws NonRetryableException if a change is from before the ledger
     * @throws StorageException if the ledger's transaction failed; either nothing has changed or only the confirmation was
     *     lost, and the same call can be repeated in both cases
     * @throws Exception if the effect throws it; nothing has changed
     */
    public void apply(List<DataChangeRecord> changes, List<Delivery> deliveries, BatchEffect effect) throws Exception {
        List<LedgerEntries.Offer> offers = offers(changes, deliveries);
        try {
            transactions.<Boolean, EffectException>run(connection -> {
                List<DataChangeRecord> fresh = fresh(changes, claim(connection, transactions.begin(), offers));
                if (!fresh.isEmpty()) {
                    apply(effect, connection, fresh);
                }
                return true;
            });
        } catch (EffectException e) {
            throw e.thrown;
        } catch (SQLException e) {
            throw SqlErrors.storageException(
                    "applying %d changes by the ledger '%s'".formatted(changes.size(), name), e);
        }
        offers.getLast().lowWatermark().ifPresent(pruning::pruneIfDue);
    }

    private static void apply(BatchEffect effect, Connection connection, List<DataChangeRecord> fresh)
            throws EffectException {
        try {
            effect.apply(connection, fresh);
        } catch (Exception e) {
            throw new EffectException(e);
        }
    }

    /** Carries an exception of the effect past the errors of the ledger's own statements. */
    private static final class EffectException extends Exception {
        private static final long serialVersionUID = 1L;

        private final Exception thrown;

        EffectException(Exception thrown) {
            super(thrown);
            this.thrown = thrown;
        }
    }

    /**
     * Enters a change in the ledger within the caller's transaction. The effect must be part of the same transaction;
     * roll back if it fails. The transaction must be READ COMMITTED and should be short, because the ledger is not
     * pruned while it is open. A program that uses only this method should call {@link #prune} from time to time.
     *
     * @return whether the change has to take effect; false if it already did
     * @throws NonRetryableException if the change is from before the ledger
     * @throws IllegalStateException if the connection is in auto-commit mode, or the transaction at another isolation
     *     level
     * @throws StorageException if a statement failed; the transaction has to be rolled back, and may then be repeated
     */
    public boolean apply(Connection connection, DataChangeRecord change, Delivery delivery) {
        try {
            if (connection.getAutoCommit()) {
                throw new IllegalStateException(
                        "the connection for the ledger '%s' is in auto-commit mode, so effect and row would not be atomic; call setAutoCommit(false) first"
                                .formatted(name));
            }
            return !claim(connection, "", List.of(LedgerEntries.Offer.of(change, delivery)))
                    .isEmpty();
        } catch (SQLException e) {
            throw SqlErrors.storageException(
                    "entering the change %s in the ledger '%s' in a transaction of the caller, which has to be rolled back,"
                            .formatted(change.identity(), name),
                    e);
        }
    }

    private Set<RecordIdentity> claim(Connection connection, String begin, List<LedgerEntries.Offer> offers)
            throws SQLException {
        LedgerEntries.Claims claims = entries.claim(connection, begin, offers);
        int tooEarly = claims.skipped(offers);
        if (tooEarly > 0) {
            skipped.add(tooEarly, requireNonNull(claims.settledBelow()));
        }
        return claims.fresh();
    }

    /**
     * Removes rows that are no longer needed, if pruning is due. Must not be called in a transaction that has applied
     * changes, because it would wait for it. Never fails: rows that could not be removed stay until a later call.
     *
     * @param lowWatermark the low watermark of a {@link Delivery}
     */
    public void prune(Instant lowWatermark) {
        pruning.pruneIfDue(lowWatermark);
    }

    private static List<LedgerEntries.Offer> offers(List<DataChangeRecord> changes, List<Delivery> deliveries) {
        if (changes.isEmpty() || changes.size() != deliveries.size()) {
            throw new IllegalArgumentException(
                    "%d changes with %d deliveries: expected one delivery for each change, and at least one change"
                            .formatted(changes.size(), deliveries.size()));
        }
        List<LedgerEntries.Offer> offers = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            offers.add(LedgerEntries.Offer.of(changes.get(i), deliveries.get(i)));
        }
        return offers;
    }

    /** Returns each change once, even if it is listed twice. */
    private static List<DataChangeRecord> fresh(List<DataChangeRecord> changes, Set<RecordIdentity> claimed) {
        return changes.stream()
                .filter(change -> claimed.remove(change.identity()))
                .toList();
    }

    /** The effect of a change on the database. */
    @FunctionalInterface
    public interface Effect {
        /**
         * Runs statements in the ledger's transaction, which ends after it.
         *
         * @throws Exception if the effect failed; nothing has changed then, and the change is not settled
         */
        void apply(Connection connection, DataChangeRecord change) throws Exception;
    }

    /** The effect of several changes on the database. */
    @FunctionalInterface
    public interface BatchEffect {
        /**
         * Runs statements in the ledger's transaction, which ends after it.
         *
         * @param changes the changes that have to take effect, in this order; at least one
         * @throws Exception if the effect failed; nothing has changed then, and no change is settled
         */
        void apply(Connection connection, List<DataChangeRecord> changes) throws Exception;
    }

    /**
     * Options of a ledger; one schema can have several ledgers. The statement timeout, 100 ms to an hour and 30 seconds
     * by default, is also how long an effect may pause between two statements before the server ends its session.
     */
    public static final class Builder extends TablesBuilder<Builder> {
        private static final MigratedTables TABLES = new MigratedTables(
                "the applied ledger",
                "dev/spream/storage/jdbc/ledger",
                "applied_ledger_history",
                1,
                "migrate(true), in a configuration sink.jdbc.migrate=true");
        private static final Duration PRUNE_PAUSE = Duration.ofSeconds(3);
        private static final Duration MIN_STATEMENT_TIMEOUT = Duration.ofMillis(100);

        private final String name;
        private Duration prunePause = PRUNE_PAUSE;
        private LongSupplier nanoTime = System::nanoTime;

        private Builder(DataSource dataSource, String name) {
            super(dataSource, DEFAULT_STATEMENT_TIMEOUT);
            if (name.isEmpty() || name.length() > MAX_NAME_LENGTH) {
                throw new IllegalArgumentException("the ledger's name has %d characters, must have 1 to %d"
                        .formatted(name.length(), MAX_NAME_LENGTH));
            }
            this.name = name;
        }

        @Override
        protected void checkStatementTimeout(Duration timeout) {
            requireBetween("statementTimeout", timeout, MIN_STATEMENT_TIMEOUT, MAX_STATEMENT_TIMEOUT);
        }

        /** Sets the pause between two prunings, by that clock. */
        Builder pruning(Duration pause, LongSupplier nanoTime) {
            this.prunePause = pause;
            this.nanoTime = nanoTime;
            return this;
        }

        /**
         * Builds the ledger, after its tables were migrated or checked.
         *
         * @throws StorageException if the database cannot be reached, or its tables are not as expected
         */
        public AppliedLedger build() {
            ensure(TABLES);
            Transactions transactions = new Transactions(dataSource(), statementTimeout());
            LedgerEntries entries = new LedgerEntries(schema(), name);
            return new AppliedLedger(
                    transactions,
                    name,
                    entries,
                    new LedgerPruning(transactions, schema(), name, entries.lockName(), prunePause, nanoTime),
                    new SkippedChanges(name, nanoTime));
        }
    }
}
