package dev.spream.storage.spanner;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import dev.spream.core.StorageException;
import dev.spream.storage.spanner.client.DatabaseCalls;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A snapshot of the tables of a subscription, read from the information schema of a database. */
record MetadataSchema(MetadataTables tables, Map<String, Set<String>> columns, Set<String> indexes) {
    static MetadataSchema read(SpannerConnection connection, String table, DatabaseCalls calls) {
        return calls.run("reading the information schema", () -> {
            Dialect dialect = connection.client().getDialect();
            MetadataTables tables = new MetadataTables(table, dialect);
            Map<String, Set<String>> columns = new HashMap<>();
            for (Struct row : rows(connection, tables, "table_name, column_name from information_schema.columns")) {
                columns.computeIfAbsent(tables.compared(row.getString(0)), name -> new HashSet<>())
                        .add(tables.compared(row.getString(1)));
            }
            Set<String> indexes = new HashSet<>();
            for (Struct row : rows(connection, tables, "index_name, index_type from information_schema.indexes")) {
                indexes.add(tables.compared(row.getString(0)));
            }
            return new MetadataSchema(tables, columns, indexes);
        });
    }

    /**
     * Returns the tables of partitions of all subscriptions in the database, sorted.
     *
     * @param configured a table that is named as here, also if the database spells it in another case
     */
    static List<String> subscriptions(SpannerConnection connection, String configured, DatabaseCalls calls) {
        Dialect dialect = connection.client().getDialect();
        MetadataTables spelled = new MetadataTables(configured, dialect);
        Map<String, String> tables = calls.run(
                "listing the subscriptions",
                () -> rows(connection, spelled, "table_name, table_type from information_schema.tables").stream()
                        .map(row -> row.getString(0))
                        .collect(Collectors.toMap(spelled::compared, Function.identity())));
        tables.replace(spelled.compared(configured), configured);
        return tables.values().stream()
                .filter(MetadataTables::isValid)
                .map(table -> new MetadataTables(table, dialect))
                .filter(found -> Stream.of(found.subscription(), found.workers())
                        .map(found::compared)
                        .allMatch(tables::containsKey))
                .map(MetadataTables::partitions)
                .sorted()
                .toList();
    }

    private static List<Struct> rows(SpannerConnection connection, MetadataTables tables, String select) {
        Statement query = Statement.of("select %s where table_schema = '%s'".formatted(select, tables.defaultSchema()));
        return MetadataReads.all(connection.client().singleUse().executeQuery(query));
    }

    boolean hasPartitions() {
        return hasTable(tables.partitions());
    }

    /** Returns whether the table of the subscription's record exists. */
    boolean hasSubscription() {
        return hasTable(tables.subscription());
    }

    private boolean hasTable(String name) {
        return columns.containsKey(tables.compared(name));
    }

    boolean hasColumn(MetadataColumn column) {
        return hasColumn(tables.partitions(), column.columnName);
    }

    private boolean hasColumn(String table, String column) {
        return columns.getOrDefault(tables.compared(table), Set.of()).contains(tables.compared(column));
    }

    /** Returns the columns that existing tables of an earlier release lack. */
    List<MetadataDdl.AddedColumn> missingAddedColumns() {
        return Stream.of(MetadataDdl.AddedColumn.values())
                .filter(column -> hasTable(column.table(tables)) && !hasColumn(column.table(tables), column.columnName))
                .toList();
    }

    /** Returns the names of missing tables, columns and indexes, for messages. */
    List<String> missing() {
        List<String> missing = new ArrayList<>();
        Stream.of(tables.partitions(), tables.subscription(), tables.workers(), tables.proofs(), tables.corrections())
                .filter(name -> !hasTable(name))
                .forEach(name -> missing.add("table " + name));
        if (hasPartitions()) {
            missingColumns().forEach(column -> missing.add("column " + column.columnName));
        }
        missingAddedColumns()
                .forEach(column ->
                        missing.add("column %s of table %s".formatted(column.columnName, column.table(tables))));
        if (!indexes.contains(tables.compared(tables.byChange()))) {
            missing.add("index " + tables.byChange());
        }
        return missing;
    }

    Collection<MetadataColumn> missingColumns() {
        return Stream.of(MetadataColumn.values())
                .filter(column -> !hasColumn(column))
                .toList();
    }

    /** Rejects a table of that name that is not a table of partitions, and other tables with the derived names. */
    void requireAdoptable() {
        requireColumns(
                tables.partitions(),
                "of change stream partitions",
                MetadataColumn.ofBeam().stream()
                        .map(column -> column.columnName)
                        .toList());
        requireColumns(tables.subscription(), "of a subscription", SubscriptionRows.COLUMNS);
        requireColumns(tables.workers(), "of workers", WorkerRows.COLUMNS);
        requireColumns(tables.proofs(), "of proofs", FinishedPartitionRows.NAMES);
        requireColumns(tables.corrections(), "of corrections", CorrectionRows.COLUMNS);
    }

    private void requireColumns(String table, String kind, List<String> names) {
        Set<String> known = columns.get(tables.compared(table));
        if (known == null) {
            return;
        }
        List<String> missing = names.stream()
                .filter(name -> !known.contains(tables.compared(name))
                        && !MetadataDdl.AddedColumn.names().contains(name))
                .toList();
        if (!missing.isEmpty()) {
            throw new StorageException(
                    "table %s exists but is not a table %s: it has no column %s; nothing was changed. Use another name instead of %s"
                            .formatted(table, kind, String.join(", ", missing), tables.partitions()),
                    false,
                    null);
        }
    }

    void requireComplete() {
        requireAdoptable();
        List<String> missing = missing();
        if (!missing.isEmpty()) {
            throw new StorageException(
                    ("the metadata tables are not complete: missing %s; nothing was changed. Run SpannerPartitionTables.create,"
                                    + " spream tail with --create-table, or spream run with storage.spanner.create-table=true, once; it also adopts a table of Apache Beam"
                                    + " or of the Go spream")
                            .formatted(String.join(", ", missing)),
                    false,
                    null);
        }
    }
}
