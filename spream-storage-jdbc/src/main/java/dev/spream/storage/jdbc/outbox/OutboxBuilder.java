package dev.spream.storage.jdbc.outbox;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.BuilderChecks;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.time.Duration;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Says where an outbox is; what is built from the same names works on the same outbox. Every option has a default. Confined
 * to one thread.
 *
 * @param <P> what is built
 */
public final class OutboxBuilder<P> {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final Function<OutboxDatabase, P> product;
    private String schema = OutboxTables.DEFAULT_SCHEMA;
    private String table = OutboxTables.DEFAULT_OUTBOX;
    private String ledger = OutboxTables.DEFAULT_LEDGER;
    private boolean migrate = true;
    private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;

    OutboxBuilder(DataSource dataSource, Function<OutboxDatabase, P> product) {
        this.dataSource = requireNonNull(dataSource, "dataSource");
        this.product = product;
    }

    /** The schema that has the tables, {@code spream} by default: lower-case letters, digits and underscores. */
    public OutboxBuilder<P> schema(String schema) {
        this.schema = new SchemaName(schema).value();
        return this;
    }

    /** The table of the entries, {@code outbox_orders} by default; the outbox's other tables are called like it. */
    public OutboxBuilder<P> table(String table) {
        this.table = OutboxTables.requireTable(table);
        return this;
    }

    /** The table of the idempotency keys, {@code idempo_ledger} by default. */
    public OutboxBuilder<P> ledger(String ledger) {
        this.ledger = OutboxTables.requireTable(ledger);
        return this;
    }

    /**
     * Whether the schema and its tables are created and migrated where needed; true by default. Tables of earlier workers
     * are brought into shape then, for which they are locked; those workers have to be stopped before. Otherwise {@link #build}
     * requires the tables as they must be: for services whose user may not alter tables.
     */
    public OutboxBuilder<P> migrate(boolean migrate) {
        this.migrate = migrate;
        return this;
    }

    /**
     * How long a statement may take, whole seconds from 1 second to 1 hour; 5 seconds by default. Stay well below the lease,
     * so that a call that hangs can be repeated before claims are lost. Statements in a caller's transaction have the
     * caller's limits.
     */
    public OutboxBuilder<P> statementTimeout(Duration statementTimeout) {
        this.statementTimeout = BuilderChecks.requireStatementTimeout(statementTimeout);
        return this;
    }

    /**
     * Builds it, after the tables were migrated or checked; that takes three connections at the same time.
     *
     * @throws IllegalArgumentException if the names do not go together
     * @throws StorageException if the database cannot be reached, or its tables are not what is needed
     */
    public P build() {
        OutboxTables tables = new OutboxTables(new SchemaName(schema), table, ledger);
        OutboxSchema.in(dataSource, tables).ensure(migrate);
        return product.apply(OutboxDatabase.of(dataSource, tables, statementTimeout));
    }
}
