package dev.spream.storage.jdbc.mirror;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A cache of the definitions of the mirror's tables, read when a table first gets a change, when a change has an
 * unknown column, and when a statement does not fit the table. Creates and extends tables if configured. Safe for use
 * by many threads.
 */
final class TargetTables {
    private static final Logger log = LoggerFactory.getLogger(TargetTables.class);

    /** A lock that one transaction at a time holds, over all tables and workers; later ones find the tables changed. */
    private static final String ALONE =
            "SELECT FROM pg_advisory_xact_lock(hashtextextended('spream mirror tables', 0))";

    private final Transactions transactions;
    private final String defaultSchema;
    private final boolean create;
    private final Map<TableName, TargetTable> known = new ConcurrentHashMap<>();

    TargetTables(Transactions transactions, String defaultSchema, boolean create) {
        this.transactions = transactions;
        this.defaultSchema = defaultSchema;
        this.create = create;
    }

    /**
     * Returns the table of the change, with all columns that the change contains.
     *
     * @throws NonRetryableException if the table or a column is missing and tables are not created; the message has the
     *     statements to run
     */
    TargetTable of(DataChangeRecord change) throws SQLException {
        TableName name = TableName.of(change.tableName(), defaultSchema);
        TargetTable table = known.get(name);
        if (table == null || !problemsOf(table, name, change).isEmpty()) {
            table = look(name, change);
            known.put(name, table);
        }
        return table;
    }

    /** Clears the cache, so that definitions are read again at their next use. */
    void forget() {
        known.clear();
    }

    private TargetTable look(TableName name, DataChangeRecord change) throws SQLException {
        Optional<TargetTable> found = transactions.run(connection -> {
            begin(connection, "");
            return TargetCatalog.read(connection, name);
        });
        if (create && !problemsOf(found.orElse(null), name, change).isEmpty()) {
            found = transactions.run(connection -> make(connection, name, change));
        }
        List<String> problems = problemsOf(found.orElse(null), name, change);
        if (!problems.isEmpty()) {
            throw new NonRetryableException("table %s does not fit the change %s of %s; run %s;%s"
                    .formatted(
                            name,
                            change.identity(),
                            TableName.quoted(change.tableName()),
                            String.join("; ", problems),
                            create ? "" : " or set create-tables, in a configuration sink.jdbc.create-tables=true"));
        }
        return found.orElseThrow();
    }

    private Optional<TargetTable> make(Connection connection, TableName name, DataChangeRecord change)
            throws SQLException {
        begin(connection, ALONE);
        Optional<TargetTable> before = TargetCatalog.read(connection, name);
        if (before.isPresent()
                && before.get()
                        .uniqueKey(new HashSet<>(TableDdl.keyColumns(change)))
                        .isEmpty()) {
            return before; // created by another program
        }
        for (String statement : problemsOf(before.orElse(null), name, change)) {
            Statements.execute(connection, statement);
            log.info("altered the mirror's table {}: {}", name, statement);
        }
        return TargetCatalog.read(connection, name);
    }

    /** Returns the statements to run before the table can take the change. */
    private static List<String> problemsOf(@Nullable TargetTable table, TableName name, DataChangeRecord change) {
        List<String> problems = new ArrayList<>();
        if (table == null) {
            problems.add(TableDdl.createSchema(name));
            problems.addAll(TableDdl.createTable(name, change));
            return problems;
        }
        List<ColumnType> missing = change.columnTypes().stream()
                .filter(column -> table.find(column.name()) == null)
                .toList();
        if (!missing.isEmpty()) {
            problems.add(TableDdl.addColumns(name, missing));
        }
        List<String> keys = TableDdl.keyColumns(change);
        if (table.uniqueKey(new HashSet<>(keys)).isEmpty()) {
            problems.add(TableDdl.uniqueKey(name, keys));
        }
        return problems;
    }

    private void begin(Connection connection, String lock) throws SQLException {
        Statements.execute(connection, transactions.begin() + lock);
    }
}
