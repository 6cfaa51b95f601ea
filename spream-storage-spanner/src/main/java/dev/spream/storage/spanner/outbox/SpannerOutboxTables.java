package dev.spream.storage.spanner.outbox;

import static java.util.Objects.requireNonNull;

import com.google.cloud.spanner.Dialect;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.client.DatabaseCalls;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the tables of an outbox: five tables and their indexes, named after that of the entries. A change stream of the
 * database should not watch them.
 */
public final class SpannerOutboxTables {
    private static final Logger log = LoggerFactory.getLogger(SpannerOutboxTables.class);
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final int ATTEMPTS = 5;

    private SpannerOutboxTables() {}

    /**
     * Creates the tables and indexes that are missing. May be repeated, and called by several processes at the same
     * time.
     *
     * @param connection a client of the database; its credentials must permit schema changes
     * @param table the table of the entries: a letter, then up to 99 letters, digits and underscores
     * @throws IllegalArgumentException if the name has another form
     * @throws StorageException if Spanner failed
     */
    public static void create(SpannerConnection connection, String table) {
        OutboxSchema.requireValid(requireNonNull(table, "table"));
        DatabaseCalls calls = new DatabaseCalls(connection.database() + " outbox " + table, TIMEOUT);
        Dialect dialect = calls.run("reading the dialect", connection.client()::getDialect);
        List<String> statements = new OutboxSchema(table, dialect).ddl();
        for (int attempt = 1; ; attempt++) {
            try {
                calls.run(
                        "creating tables",
                        () -> connection
                                .spanner()
                                .getDatabaseAdminClient()
                                .updateDatabaseDdl(
                                        connection.database().instance(),
                                        connection.database().database(),
                                        statements,
                                        null)
                                .get());
                return;
            } catch (StorageException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                log.debug("creating the tables of {} failed; trying again", table, LoggedFailure.of(e));
            }
        }
    }
}
