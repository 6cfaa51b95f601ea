package dev.spream.storage.jdbc.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.BuilderChecks;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.time.Duration;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Says where projections are; what is built from the same schema works on the same ones. Every option has a default. Confined
 * to one thread.
 *
 * @param <P> what is built
 */
public final class ProjectionBuilder<P> {
    static final String DEFAULT_SCHEMA = "spream";
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(10);

    private final DataSource dataSource;
    private final Function<ProjectionDatabase, P> product;
    private SchemaName schema = new SchemaName(DEFAULT_SCHEMA);
    private boolean migrate = true;
    private Duration statementTimeout = DEFAULT_STATEMENT_TIMEOUT;

    ProjectionBuilder(DataSource dataSource, Function<ProjectionDatabase, P> product) {
        this.dataSource = requireNonNull(dataSource, "dataSource");
        this.product = product;
    }

    /** The schema that has the tables, {@code spream} by default: lower-case letters, digits and underscores. */
    public ProjectionBuilder<P> schema(String schema) {
        this.schema = new SchemaName(schema);
        return this;
    }

    /**
     * Whether the schema and its tables are created and migrated where needed; true by default. Otherwise {@link #build}
     * requires the tables as they must be: for services whose user may not create tables. Such a user needs {@code USAGE} on
     * the schema; {@code SELECT} on {@code projection_history}; {@code SELECT}, {@code INSERT} and {@code UPDATE} on {@code
     * projection_states}, {@code projection_versions}, {@code projection_segments} and {@code projection_keys}; these and {@code
     * DELETE} on {@code projection_owners}, {@code projection_parked_keys} and {@code projection_parked_events}; {@code SELECT}
     * and {@code INSERT} on {@code projection_dead_letters}; {@code INSERT} on {@code projection_audit} in order to operate
     * projections; and what the projections need for their own tables.
     *
     * <p>To rebuild projections it also needs {@code CREATE} on the database and on the schema of their tables, and owns these:
     * a version that is built has a schema of its own, and a cut-over moves tables between them. To drop versions it needs {@code
     * DELETE} on all of the tables above but {@code projection_history} and {@code projection_audit}.
     */
    public ProjectionBuilder<P> migrate(boolean migrate) {
        this.migrate = migrate;
        return this;
    }

    /**
     * How long a statement may take, whole seconds from 1 second to 1 hour; 10 seconds by default. It holds for the statements
     * of projections as well, and for how long one may think between two; and for how long a pause waits for batches that
     * are being applied.
     */
    public ProjectionBuilder<P> statementTimeout(Duration statementTimeout) {
        this.statementTimeout = BuilderChecks.requireStatementTimeout(statementTimeout);
        return this;
    }

    /**
     * Builds it, after the tables were migrated or checked; that takes three connections at the same time.
     *
     * @throws StorageException if the database cannot be reached, or its tables are not what is needed
     */
    public P build() {
        ProjectionSchema.in(dataSource, schema).ensure(migrate);
        return product.apply(new ProjectionDatabase(dataSource, schema, statementTimeout));
    }
}
