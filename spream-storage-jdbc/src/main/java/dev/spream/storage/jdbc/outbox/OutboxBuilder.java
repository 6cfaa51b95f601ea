package dev.spream.storage.jdbc.outbox;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.time.Duration;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Builds an object on the tables of an outbox; objects built with the same names work on the same outbox. Every option
 * has a default. Confined to one thread.
 *
 * <p>Migration alters tables of earlier workers and locks them meanwhile; stop those workers first. Keep the statement
 * timeout, 5 seconds by default, well below the lease, so that a call that hangs can be repeated before claims are
 * lost. Statements in a caller's transaction have the caller's limits.
 *
 * @param <P> what is built
 */
public final class OutboxBuilder<P> extends TablesBuilder<OutboxBuilder<P>> {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(5);

    private final Function<OutboxDatabase, P> product;
    private String table = OutboxTables.DEFAULT_OUTBOX;
    private String ledger = OutboxTables.DEFAULT_LEDGER;

    OutboxBuilder(DataSource dataSource, Function<OutboxDatabase, P> product) {
        super(dataSource, DEFAULT_STATEMENT_TIMEOUT);
        this.product = product;
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
     * Builds it, after the tables were migrated or checked; that takes three connections at the same time.
     *
     * @throws IllegalArgumentException if the names do not go together
     * @throws StorageException if the database cannot be reached, or its tables are not what is needed
     */
    public P build() {
        OutboxTables tables = new OutboxTables(schema(), table, ledger);
        ensure(tables.migrated());
        return product.apply(new OutboxDatabase(dataSource(), tables, statementTimeout()));
    }
}
