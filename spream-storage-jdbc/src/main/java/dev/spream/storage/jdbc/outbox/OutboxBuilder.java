package dev.spream.storage.jdbc.outbox;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import java.time.Duration;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * A builder of objects that use the tables of an outbox; objects built with the same names use the same outbox. Every
 * option has a default. Confined to one thread.
 *
 * <p>Migration alters tables of earlier workers and locks them meanwhile; stop those workers first. Keep the statement
 * timeout, 5 seconds by default, well below the lease, so that a call that hangs can be repeated before claims are
 * lost. It does not apply to statements in the caller's transactions.
 *
 * @param <P> the type that is built
 */
public final class OutboxBuilder<P> extends TablesBuilder<OutboxBuilder<P>> {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(5);

    private final Function<OutboxSql, P> product;
    private String table = OutboxTables.DEFAULT_OUTBOX;
    private String ledger = OutboxTables.DEFAULT_LEDGER;

    OutboxBuilder(DataSource dataSource, Function<OutboxSql, P> product) {
        super(dataSource, DEFAULT_STATEMENT_TIMEOUT);
        this.product = product;
    }

    /**
     * Sets the table of the entries, {@code outbox_orders} by default; the other tables of the outbox have this name
     * with a suffix.
     */
    public OutboxBuilder<P> table(String table) {
        this.table = OutboxTables.requireTable(table);
        return this;
    }

    /** Sets the table of the idempotency keys, {@code idempo_ledger} by default. */
    public OutboxBuilder<P> ledger(String ledger) {
        this.ledger = OutboxTables.requireTable(ledger);
        return this;
    }

    /**
     * Migrates or checks the tables, which uses three connections at the same time, and builds the object.
     *
     * @throws IllegalArgumentException if the table names are in conflict
     * @throws StorageException if the database cannot be reached, or its tables do not have the required version
     */
    public P build() {
        OutboxTables tables = new OutboxTables(schema().value(), table, ledger);
        ensure(tables.migrated());
        return product.apply(new PostgresOutbox(new PostgresOutboxDatabase(dataSource(), tables, statementTimeout())));
    }
}
