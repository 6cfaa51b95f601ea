package dev.spream.storage.jdbc.event;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.BuilderChecks;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Says where an event store is. Every option has a default. Confined to one thread.
 *
 * <p>Two-phase commit ({@code PREPARE TRANSACTION}, XA data sources) is not supported for transactions that append: a
 * prepared one keeps everybody from reading until it is decided, and PostgreSQL refuses to prepare one that woke a reader.
 */
public final class JdbcEventStoreBuilder {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private String schema = EventTable.DEFAULT_SCHEMA;
    private String table = EventTable.DEFAULT_NAME;
    private boolean migrate = true;
    private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;

    JdbcEventStoreBuilder(DataSource dataSource) {
        this.dataSource = requireNonNull(dataSource, "dataSource");
    }

    /** The schema that has the table, {@code spream} by default: lower-case letters, digits and underscores. */
    public JdbcEventStoreBuilder schema(String schema) {
        this.schema = new SchemaName(schema).value();
        return this;
    }

    /** The table of the events, {@code events} by default; what belongs to it is called like it. */
    public JdbcEventStoreBuilder table(String table) {
        this.table = EventTable.requireName(table);
        return this;
    }

    /**
     * Whether the schema and its table are created and migrated where needed; true by default. Otherwise {@link #build}
     * requires them as they must be: for programs whose user may not create tables. Such a user needs {@code SELECT} on the
     * table, on its sequence and on its mark, and {@code INSERT} on the table in order to append. One that reads should have
     * {@code UPDATE} on the mark as well: what it has read is then read at once by those who start while a transaction that
     * appends is open.
     */
    public JdbcEventStoreBuilder migrate(boolean migrate) {
        this.migrate = migrate;
        return this;
    }

    /**
     * How long a statement may take, whole seconds from 1 second to 1 hour; 5 seconds by default. Statements in a caller's
     * transaction have the caller's limits.
     */
    public JdbcEventStoreBuilder statementTimeout(Duration statementTimeout) {
        this.statementTimeout = BuilderChecks.requireStatementTimeout(statementTimeout);
        return this;
    }

    /**
     * Builds it, after the table was migrated or checked; that takes three connections at the same time.
     *
     * @throws StorageException if the database cannot be reached, or its table is not what is needed
     */
    public JdbcEventStore build() {
        EventTable events = new EventTable(new SchemaName(schema), table);
        EventSchema.in(dataSource, events).ensure(migrate);
        EventDatabase database = EventDatabase.of(dataSource, events, statementTimeout);
        BarrierCheck.require(database);
        return new JdbcEventStore(database);
    }
}
