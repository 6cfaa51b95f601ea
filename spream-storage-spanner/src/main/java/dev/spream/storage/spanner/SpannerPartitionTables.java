package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.storage.spanner.MetadataSetup.Outcome;
import dev.spream.storage.spanner.client.DatabaseCalls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the tables of a {@link SpannerPartitionStorage}, or adopts the metadata table of a stopped reader, Apache
 * Beam or the Go spream, with its partitions in place.
 *
 * <p>Adoption adds columns, drops the row deletion policy, because it would delete the proofs that no partition was
 * skipped, adds an index and four small tables, and gives the finished partitions proofs of kind ADOPTED. Rows are not
 * changed, except partitions that were finished just before the other reader stopped, with a watermark before their
 * end: their last changes may not have been delivered, so reading them continues. In a stream with mutable key ranges
 * all partitions, also those that were finished later, are read from the earliest watermark of the unfinished ones, and
 * not before their own start: the other reader stored no moves of keys, and changes that are delivered again are in
 * order. The indexes of the other reader are kept too, although it can no longer use the table: to return to Beam, use
 * {@link BeamExport}.
 *
 * <p>The watermarks of Beam cover the changes that its runner has accepted, whether or not the pipeline had written
 * them when its job was cancelled; Dataflow cannot drain this connector. Changes in between are lost with the job, and
 * the table does not record them. So adopt a table of Beam only if the pipeline had written all that it had read;
 * otherwise start a new subscription at an earlier time.
 *
 * <p>All methods may be repeated, and called by several processes at the same time.
 */
public final class SpannerPartitionTables {
    private static final Logger log = LoggerFactory.getLogger(SpannerPartitionTables.class);

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** The time limit of schema changes; Spanner fills an index before the statement completes. */
    private static final Duration DDL_TIMEOUT = Duration.ofMinutes(10);

    /** The number of attempts, more than there are statements: each may fail because another process was faster. */
    private static final int ATTEMPTS = 20;

    private static final Pattern CREATE_TABLE =
            Pattern.compile("^\\s*CREATE\\s+TABLE\\s+[\"`]?(?<name>\\w+)", Pattern.CASE_INSENSITIVE);

    private final SpannerConnection connection;
    private final String table;
    private final DatabaseCalls calls;
    private final DatabaseCalls ddlCalls;

    private SpannerPartitionTables(SpannerConnection connection, String table) {
        String name = connection.database() + " table " + table;
        this.connection = connection;
        this.table = table;
        this.calls = new DatabaseCalls(name, TIMEOUT);
        this.ddlCalls = new DatabaseCalls(name, DDL_TIMEOUT);
    }

    /**
     * Creates missing tables, and adopts an existing one unless its reader seems to be running.
     *
     * @param connection a client of the database; its credentials must permit schema changes
     * @param table the table of partitions, after which the others are named
     * @throws IllegalArgumentException if the name is not a valid name of a table
     * @throws StorageException if a table of that name is not a metadata table, if it has changed within the last
     *     minutes, or if Spanner failed
     */
    public static MetadataSetup create(SpannerConnection connection, String table) {
        return create(connection, table, false);
    }

    /**
     * Creates missing tables, and adopts an existing one.
     *
     * @param force whether to adopt a table that has changed within the last minutes; its reader must have been stopped
     */
    public static MetadataSetup create(SpannerConnection connection, String table, boolean force) {
        MetadataTables.requireValid(requireNonNull(table, "table"));
        return new SpannerPartitionTables(requireNonNull(connection, "connection"), table).create(force);
    }

    private MetadataSetup create(boolean force) {
        MetadataSchema found = schema();
        found.requireAdoptable();
        boolean ours = found.hasSubscription() && !adoption(found).isNeeded();
        if (found.hasPartitions() && !ours && !force) {
            adoption(found).requireQuiet();
        }
        MetadataSchema made = complete(found);
        int adopted = adoption(made).isNeeded() ? adopt(made) : 0;
        if (adopted > 0) {
            return new MetadataSetup(Outcome.ADOPTED, adopted);
        }
        return new MetadataSetup(found.hasPartitions() ? Outcome.READY : Outcome.CREATED, 0);
    }

    private int adopt(MetadataSchema schema) {
        dropDeletionPolicy(schema);
        int adopted = adoption(schema).run();
        if (adopted > 0) {
            log.warn("adopted {} partitions of table {}; its former reader must not be started again", adopted, table);
        }
        return adopted;
    }

    private TableAdoption adoption(MetadataSchema schema) {
        return new TableAdoption(connection, schema.tables(), calls);
    }

    private MetadataSchema schema() {
        return MetadataSchema.read(connection, table, calls);
    }

    /**
     * Creates missing tables. If another process creates them at the same time, statements fail, and the schema is read
     * again.
     */
    private MetadataSchema complete(MetadataSchema found) {
        MetadataSchema schema = found;
        for (int attempt = 1; !schema.missing().isEmpty(); attempt++) {
            try {
                apply(statements(schema));
            } catch (StorageException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                log.debug("creating the tables of {} failed; checking the schema again", table, LoggedFailure.of(e));
            }
            schema = schema();
        }
        return schema;
    }

    private static List<String> statements(MetadataSchema schema) {
        MetadataDdl ddl = new MetadataDdl(schema.tables());
        List<String> statements = new ArrayList<>();
        if (schema.hasPartitions()) {
            schema.missingColumns()
                    .forEach(column -> statements.add(
                            ddl.addColumn(schema.tables().partitions(), column.declaration(schema.tables()))));
        }
        schema.missingAddedColumns()
                .forEach(column -> statements.add(
                        ddl.addColumn(column.table(schema.tables()), column.declaration(schema.tables()))));
        statements.addAll(ddl.all());
        return statements;
    }

    private void dropDeletionPolicy(MetadataSchema schema) {
        for (int attempt = 1; hasDeletionPolicy(schema); attempt++) {
            try {
                apply(List.of(new MetadataDdl(schema.tables()).dropDeletionPolicy()));
            } catch (StorageException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                log.debug(
                        "dropping the row deletion policy of {} failed; checking the schema again",
                        table,
                        LoggedFailure.of(e));
            }
        }
    }

    private boolean hasDeletionPolicy(MetadataSchema schema) {
        MetadataTables tables = schema.tables();
        return calls
                .run(
                        "reading the schema",
                        () -> connection
                                .spanner()
                                .getDatabaseAdminClient()
                                .getDatabaseDdl(
                                        connection.database().instance(),
                                        connection.database().database()))
                .stream()
                .filter(statement -> createsTable(statement, tables))
                .map(statement -> statement.toUpperCase(Locale.ROOT))
                .anyMatch(statement -> statement.contains("ROW DELETION POLICY") || statement.contains("TTL INTERVAL"));
    }

    private static boolean createsTable(String statement, MetadataTables tables) {
        Matcher create = CREATE_TABLE.matcher(statement);
        return create.find() && tables.compared(create.group("name")).equals(tables.compared(tables.partitions()));
    }

    private void apply(List<String> statements) {
        ddlCalls.run("changing the schema", () -> connection.updateDdl(statements));
    }
}
