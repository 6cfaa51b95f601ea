package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.storage.spanner.MetadataSetup.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the tables of a {@link SpannerPartitionStorage}: new ones, or out of the metadata table of a stopped reader of the
 * same family, Apache Beam or the Go spream, whose partitions are adopted in place.
 *
 * <p>Adoption adds columns, drops the row deletion policy, because it would delete what proves that nothing was passed over,
 * adds an index and three small tables, and gives the finished partitions proofs of kind ADOPTED. Rows are kept as they are,
 * but for partitions that were finished just before the other reader stopped, with a watermark before their end: their last
 * changes may not have been delivered, so reading them continues. The indexes of the other reader are kept too, although it
 * can no longer use the table: to return to Beam, export.
 *
 * <p>Stop a pipeline of Beam by draining it. Its watermarks cover what its runner has taken over; what the runner had not yet
 * handed on when it was cancelled, or died with its memory, was never delivered, and the table does not record it.
 *
 * <p>Everything may be repeated, and done by several processes at once.
 */
public final class SpannerPartitionTables {
    private static final Logger log = LoggerFactory.getLogger(SpannerPartitionTables.class);

    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    /** Spanner fills an index before it says that it is there. */
    private static final Duration DDL_TIMEOUT = Duration.ofMinutes(10);

    /** More than there are statements: each may fail because another process was faster. */
    private static final int ATTEMPTS = 20;

    private static final Pattern CREATE_TABLE =
            Pattern.compile("^\\s*CREATE\\s+TABLE\\s+[\"`]?(?<name>\\w+)", Pattern.CASE_INSENSITIVE);

    private final SpannerConnection connection;
    private final String table;
    private final MetadataCalls calls;
    private final MetadataCalls ddlCalls;

    private SpannerPartitionTables(SpannerConnection connection, String table) {
        String name = connection.database() + " table " + table;
        this.connection = connection;
        this.table = table;
        this.calls = new MetadataCalls(name, TIMEOUT);
        this.ddlCalls = new MetadataCalls(name, DDL_TIMEOUT);
    }

    /**
     * Creates what is missing, and adopts what is there, unless its reader seems to be running.
     *
     * @param connection a client of the database; its credentials must be allowed to change the schema
     * @param table the table of partitions, the others are named after it
     * @throws IllegalArgumentException if the name cannot be that of a table
     * @throws StorageException if there is a table of that name which is no metadata table, if it has changed within the
     *     last minutes, or if Spanner failed
     */
    public static MetadataSetup create(SpannerConnection connection, String table) {
        return create(connection, table, false);
    }

    /**
     * The same.
     *
     * @param force adopts a table that has changed within the last minutes; its reader must have been stopped
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

    /** Adds what is missing; concurrent additions by another process make statements fail, which are then checked again. */
    private MetadataSchema complete(MetadataSchema found) {
        MetadataSchema schema = found;
        for (int attempt = 1; !schema.missing().isEmpty(); attempt++) {
            try {
                apply(statements(schema));
            } catch (StorageException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                log.debug("creating the tables of {} failed; looking again", table, LoggedFailure.of(e));
            }
            schema = schema();
        }
        return schema;
    }

    private static List<String> statements(MetadataSchema schema) {
        MetadataDdl ddl = new MetadataDdl(schema.tables());
        List<String> statements = new ArrayList<>();
        if (schema.hasPartitions()) {
            schema.missingColumns().forEach(column -> statements.add(ddl.addColumn(column)));
        }
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
                log.debug("dropping the row deletion policy of {} failed; looking again", table, LoggedFailure.of(e));
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
