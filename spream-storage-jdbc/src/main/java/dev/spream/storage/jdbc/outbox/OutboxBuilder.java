package dev.spream.storage.jdbc.outbox;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.SqlErrors;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import dev.spream.storage.jdbc.outbox.mysql.MySqlOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

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
     * <p>In MySQL and MariaDB, where a schema is a database, the schema is the database of the connections by default.
     *
     * @throws IllegalArgumentException if the table names are in conflict
     * @throws StorageException if the database cannot be reached or is not supported, or its tables do not have the
     *     required version
     */
    public P build() {
        Optional<String> database = databaseOfMySql();
        OutboxTables tables = new OutboxTables(database.orElse(schema().value()), table, ledger);
        if (database.isPresent()) {
            return product.apply(MySqlOutbox.open(dataSource(), tables, statementTimeout(), migrates()));
        }
        ensure(tables.migrated());
        return product.apply(new PostgresOutbox(new PostgresOutboxDatabase(dataSource(), tables, statementTimeout())));
    }

    /** Returns the database of MySQL or MariaDB that has the tables; empty in PostgreSQL. */
    private Optional<String> databaseOfMySql() {
        try (Connection connection = dataSource().getConnection()) {
            return connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")
                    ? Optional.empty()
                    : Optional.of(database(connection));
        } catch (SQLException e) {
            throw SqlErrors.storageException("connecting to the database of the outbox '%s'".formatted(table), e);
        }
    }

    private String database(Connection connection) throws SQLException {
        if (givenSchema().isPresent()) {
            return givenSchema().get().value();
        }
        @Nullable String current = connection.getCatalog();
        if (current == null || current.isEmpty()) {
            throw SqlErrors.permanent(
                    "the database of the outbox '%s' is not specified: add it to the end of the URL, or specify it as the schema"
                            .formatted(table));
        }
        return current;
    }
}
