package dev.spream.storage.jdbc.internal;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import javax.sql.DataSource;

/**
 * The options that all builders of this module share. Every one has a default. Confined to one thread.
 *
 * @param <B> the builder itself
 */
public abstract class TablesBuilder<B extends TablesBuilder<B>> {
    public static final String DEFAULT_SCHEMA = "spream";

    private final DataSource dataSource;
    private SchemaName schema = new SchemaName(DEFAULT_SCHEMA);
    private boolean migrate = true;
    private Duration statementTimeout;

    protected TablesBuilder(DataSource dataSource, Duration statementTimeout) {
        this.dataSource = requireNonNull(dataSource, "dataSource");
        this.statementTimeout = statementTimeout;
    }

    /** The schema that has the tables, {@value #DEFAULT_SCHEMA} by default: lower-case letters, digits and underscores. */
    public final B schema(String schema) {
        this.schema = new SchemaName(schema);
        return self();
    }

    /**
     * Whether the schema and its tables are created and migrated where needed; true by default. Otherwise they are required as
     * they must be: for services whose user may not alter tables.
     */
    public final B migrate(boolean migrate) {
        this.migrate = migrate;
        return self();
    }

    /**
     * How long a statement may take, whole seconds from 1 second to 1 hour. A server that does not answer at all is given up 2
     * seconds later.
     */
    public final B statementTimeout(Duration statementTimeout) {
        checkStatementTimeout(statementTimeout);
        this.statementTimeout = statementTimeout;
        return self();
    }

    /** Refuses a statement timeout that these tables cannot have. */
    protected void checkStatementTimeout(Duration timeout) {
        BuilderChecks.requireStatementTimeout(timeout);
    }

    @SuppressWarnings("unchecked")
    private B self() {
        return (B) this;
    }

    protected final DataSource dataSource() {
        return dataSource;
    }

    protected final SchemaName schema() {
        return schema;
    }

    protected final Duration statementTimeout() {
        return statementTimeout;
    }

    /** Migrates or checks the tables. */
    protected final void ensure(MigratedTables tables) {
        new SchemaMigration(dataSource, schema, tables).ensure(migrate);
    }
}
