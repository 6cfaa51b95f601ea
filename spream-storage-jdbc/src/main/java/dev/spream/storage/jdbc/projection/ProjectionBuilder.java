package dev.spream.storage.jdbc.projection;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import dev.spream.storage.jdbc.projection.internal.ProjectionDatabase;
import java.time.Duration;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Builds access to the projections of a schema; all that is built for one schema shares its projections. Every option
 * has a default. Confined to one thread.
 *
 * <p>A user of the database that may not migrate the tables needs {@code USAGE} on the schema; {@code SELECT} on {@code
 * projection_history}; {@code SELECT}, {@code INSERT} and {@code UPDATE} on {@code projection_states}, {@code
 * projection_versions}, {@code projection_segments} and {@code projection_keys}; these and {@code DELETE} on {@code
 * projection_owners}, {@code projection_parked_keys} and {@code projection_parked_events}; {@code SELECT} and {@code
 * INSERT} on {@code projection_dead_letters}; {@code INSERT} on {@code projection_audit} in order to operate
 * projections; and what the projections need for their own tables.
 *
 * <p>To rebuild projections it also needs {@code CREATE} on the database and on the schema of their tables, and owns
 * these: a version that is built has a schema of its own, and a cutover moves tables between them. To drop versions it
 * needs {@code DELETE} on all of the tables above but {@code projection_history} and {@code projection_audit}.
 *
 * <p>The statement timeout, 10 seconds by default, applies to the statements of projections as well, to the pauses of a
 * projection between two statements, and to the wait of a pause for batches that are being applied.
 *
 * @param <P> the type that is built
 */
public final class ProjectionBuilder<P> extends TablesBuilder<ProjectionBuilder<P>> {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(10);

    private static final MigratedTables TABLES = new MigratedTables(
            "the projections",
            "dev/spream/storage/jdbc/projection",
            "projection_history",
            3,
            "migrate(true), in a configuration projections.jdbc.migrate=true, which is the default of the command that"
                    + " runs projections");

    private final Function<ProjectionDatabase, P> product;

    ProjectionBuilder(DataSource dataSource, Function<ProjectionDatabase, P> product) {
        super(dataSource, DEFAULT_STATEMENT_TIMEOUT);
        this.product = product;
    }

    /**
     * Builds the result, after the tables were migrated or checked, which takes three connections at the same time.
     *
     * @throws StorageException if the database cannot be reached, or its tables are not as expected
     */
    public P build() {
        ensure(TABLES);
        return product.apply(new ProjectionDatabase(dataSource(), schema(), statementTimeout()));
    }
}
