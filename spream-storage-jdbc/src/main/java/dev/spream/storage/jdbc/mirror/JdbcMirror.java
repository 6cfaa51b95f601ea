package dev.spream.storage.jdbc.mirror;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.storage.jdbc.internal.Transactions;
import dev.spream.storage.jdbc.ledger.AppliedLedger;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Mirrors the tables that a change stream watches into PostgreSQL. Rows are written and deleted by their primary key,
 * in the transaction that enters the changes in an {@link AppliedLedger}, so that each takes effect once, even after
 * redeliveries and from a worker that continues after it lost its lease.
 *
 * <p>A batch is written by few statements: changes of a key are folded into one, and rows of a table that write the
 * same columns share a statement. Columns that changes do not contain keep their values, such as columns that the
 * stream does not capture, and columns of the table that Spanner does not have. An update of a missing row inserts the
 * columns of the change; a row that is deleted and inserted again gets its columns' defaults.
 *
 * <p>Values are converted to the types of the table, which need not be those of {@link Builder#createTables}: a text
 * column stores every value as Spanner writes it. Timestamps are truncated to PostgreSQL's microseconds, unless their
 * column is text. The types are read when a table first gets a change and when a statement fails. After a column's type
 * was altered to another that accepts the same values, such as from jsonb to text, restart the workers. Tables and
 * columns that are dropped or renamed in Spanner stay, and a new name is a new table or column.
 *
 * <p>A change that PostgreSQL rejects because of its values, or whose table does not fit, fails with {@link
 * dev.spream.api.spi.NonRetryableException}, alone or with its whole transaction; an outage of PostgreSQL is a retryable
 * {@link StorageException}. A statement that exceeds a limit, such as its time, fails with another exception, since the
 * changes may be the cause. No message shows a value.
 *
 * <p>If changes of a row are dead-lettered one by one, a replayed change may be older than the row and overwrites it
 * nevertheless: park whole keys instead.
 *
 * <p>Changes of several partitions, and of several tables, take effect in any order, so foreign keys between mirrored
 * tables do not hold at all times. In a subscription that delivers whole transactions, each is one transaction here; in
 * commit order, foreign keys hold: rows are written before those that refer to them, and deleted after them.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it at its end. The caller owns the data
 * source and closes it afterwards.
 */
public final class JdbcMirror implements BatchConsumer {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(30);

    private final AppliedLedger ledger;
    private final Transactions transactions;
    private final TargetTables tables;

    private JdbcMirror(AppliedLedger ledger, Transactions transactions, TargetTables tables) {
        this.ledger = ledger;
        this.transactions = transactions;
        this.tables = tables;
    }

    /**
     * Returns the builder of a mirror that enters the applied changes in the ledger of that name.
     *
     * @param ledger its name, 1 to 200 characters: preferably the subscription's name; subscriptions must not share a
     *     ledger
     */
    public static Builder builder(DataSource dataSource, String ledger) {
        return new Builder(requireNonNull(dataSource, "dataSource"), requireNonNull(ledger, "ledger"));
    }

    @Override
    public void consume(Batch batch) throws Exception {
        List<DataChangeRecord> changes = batch.changes();
        try {
            applyToTablesAsTheyAre(batch);
        } catch (SQLException e) {
            if (MirrorFailures.isAboutLimits(e)) {
                throw MirrorFailures.ofLimit(changes, e);
            } else if (!MirrorFailures.isAboutData(e)) {
                failEach(batch, MirrorFailures.later(changes, e));
            } else if (batch.isTransaction()) {
                throw MirrorFailures.ofTransaction(changes, e, columnAtFault(changes, e));
            } else if (changes.size() > 1) {
                throw MirrorFailures.oneOf(changes, e);
            } else {
                throw MirrorFailures.rejected(changes.getFirst(), e, columnAtFault(changes, e));
            }
        }
    }

    /** Fails each change. None of them is the cause, so the caller need not try them one by one. */
    private static void failEach(Batch batch, Exception failure) {
        for (int i = 0; i < batch.changes().size(); i++) {
            batch.fail(i, failure);
        }
    }

    private void applyToTablesAsTheyAre(Batch batch) throws Exception {
        try {
            apply(batch);
        } catch (SQLException e) {
            boolean mayBeChanged = MirrorFailures.isAboutData(e)
                    && (batch.changes().size() == 1 || batch.isTransaction() || MirrorFailures.isAboutStructure(e));
            if (!mayBeChanged) {
                throw e;
            }
            tables.forget();
            apply(batch);
        }
    }

    private void apply(Batch batch) throws Exception {
        Map<String, TargetTable> targets = targets(batch.changes());
        List<Delivery> deliveries = new ArrayList<>();
        for (int i = 0; i < batch.changes().size(); i++) {
            deliveries.add(batch.delivery(i));
        }
        try {
            ledger.apply(batch.changes(), deliveries, (connection, changes) -> {
                RowStatements.run(connection, fold(changes, targets));
            });
        } catch (StorageException e) {
            if (e.getCause() instanceof SQLException error) {
                throw error; // of a deferred constraint, for example: MirrorFailures describes it by its state
            }
            throw e;
        }
    }

    /**
     * Returns the tables by Spanner's name. Runs before the transaction, because an alteration of a table would wait
     * for its end.
     */
    private Map<String, TargetTable> targets(List<DataChangeRecord> changes) throws SQLException {
        Map<String, TargetTable> targets = new HashMap<>();
        for (DataChangeRecord change : changes) {
            targets.put(change.tableName(), tables.of(change)); // tables only gain columns
        }
        return targets;
    }

    /** Returns the rows of each table, in the order of the tables. */
    private static List<FoldedRows> fold(List<DataChangeRecord> changes, Map<String, TargetTable> targets) {
        Map<String, FoldedRows> folded = new HashMap<>();
        for (DataChangeRecord change : changes) {
            folded.computeIfAbsent(
                            change.tableName(),
                            name -> new FoldedRows(requireNonNull(targets.get(name)), TableDdl.keyColumns(change)))
                    .add(change);
        }
        return folded.values().stream()
                .sorted(Comparator.comparing(FoldedRows::table))
                .toList();
    }

    private Optional<String> columnAtFault(List<DataChangeRecord> changes, SQLException error) throws SQLException {
        if (!MirrorFailures.isAboutValue(error)) {
            return Optional.empty();
        }
        return fold(changes, targets(changes)).stream()
                .flatMap(rows -> new ColumnProbe(transactions).refusing(rows).stream())
                .findFirst();
    }

    /** Builds a mirror. */
    public static final class Builder {
        private final DataSource dataSource;
        private final String ledger;
        private String schema = "public";
        private String ledgerSchema = AppliedLedger.DEFAULT_SCHEMA;
        private boolean migrate = true;
        private boolean createTables;
        private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;

        private Builder(DataSource dataSource, String ledger) {
            this.dataSource = dataSource;
            this.ledger = ledger;
        }

        /** Sets the schema of the tables, except those of named schemas; {@code public} by default. */
        public Builder schema(String schema) {
            this.schema = TableName.requireSchema(schema);
            return this;
        }

        /** Sets the schema of the ledger's tables; {@code spream} by default. */
        public Builder ledgerSchema(String ledgerSchema) {
            this.ledgerSchema = ledgerSchema;
            return this;
        }

        /** Sets whether to create or migrate the ledger's tables where needed; true by default. */
        public Builder migrate(boolean migrate) {
            this.migrate = migrate;
            return this;
        }

        /**
         * Sets whether to create missing tables, with their schemas, and to add missing columns; false by default.
         * Without it, such changes fail, and the message has the statements to run. Columns and tables are never
         * removed, and types never changed.
         */
        public Builder createTables(boolean createTables) {
            this.createTables = createTables;
            return this;
        }

        /** Sets the time limit of a statement; 30 seconds by default, 100 ms to an hour. */
        public Builder statementTimeout(Duration statementTimeout) {
            this.statementTimeout = requireNonNull(statementTimeout, "statementTimeout");
            return this;
        }

        /**
         * Builds the mirror, after the ledger's tables were migrated or checked.
         *
         * @throws StorageException if the database cannot be reached, or the ledger's tables are not as expected
         */
        public JdbcMirror build() {
            AppliedLedger applied = AppliedLedger.builder(dataSource, ledger)
                    .schema(ledgerSchema)
                    .migrate(migrate)
                    .statementTimeout(statementTimeout)
                    .build();
            Transactions transactions = new Transactions(dataSource, statementTimeout);
            return new JdbcMirror(applied, transactions, new TargetTables(transactions, schema, createTables));
        }
    }
}
