package dev.spream.emulator.internal.database;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.ProtoBundle;
import dev.spream.emulator.internal.sql.SqlSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The tables and indexes of a database at one moment. Immutable; names are compared without case. */
final class Schema implements SqlSchema {
    static final Schema EMPTY = new Schema(ProtoBundle.EMPTY, Map.of(), Map.of());

    private final ProtoBundle bundle;
    private final Map<String, StoredTable> tables;
    private final Map<String, CreateIndex> indexes;
    private final Set<String> names;

    private Schema(ProtoBundle bundle, Map<String, StoredTable> tables, Map<String, CreateIndex> indexes) {
        this.bundle = bundle;
        this.tables = tables;
        this.indexes = indexes;
        this.names = new HashSet<>(tables.keySet());
        names.addAll(indexes.keySet());
        for (StoredTable table : tables.values()) {
            for (Column column : table.table().columns()) {
                names.add(key(column.name()));
            }
        }
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    Schema with(StoredTable table) {
        Map<String, StoredTable> changed = new LinkedHashMap<>(tables);
        changed.put(key(table.name()), table);
        return new Schema(bundle, changed, indexes);
    }

    Schema withoutTable(String name) {
        Map<String, StoredTable> changed = new LinkedHashMap<>(tables);
        changed.remove(key(name));
        return new Schema(bundle, changed, indexes);
    }

    Schema with(CreateIndex index) {
        Map<String, CreateIndex> changed = new LinkedHashMap<>(indexes);
        changed.put(key(index.name()), index);
        return new Schema(bundle, tables, changed);
    }

    Schema withoutIndex(String name) {
        Map<String, CreateIndex> changed = new LinkedHashMap<>(indexes);
        changed.remove(key(name));
        return new Schema(bundle, tables, changed);
    }

    Schema with(ProtoBundle changed) {
        return new Schema(changed, tables, indexes);
    }

    /** Returns the column types that are no types of Spanner. */
    ProtoBundle bundle() {
        return bundle;
    }

    Collection<StoredTable> tables() {
        return tables.values();
    }

    Collection<CreateIndex> indexes() {
        return indexes.values();
    }

    Optional<StoredTable> findTable(String name) {
        return Optional.ofNullable(tables.get(key(name)));
    }

    Optional<CreateIndex> findIndex(String name) {
        return Optional.ofNullable(indexes.get(key(name)));
    }

    StoredTable table(String name) {
        return findTable(name).orElseThrow(() -> Errors.notFound("Table not found: %s", name));
    }

    List<CreateIndex> indexesOf(String table) {
        return indexes.values().stream()
                .filter(index -> index.table().equalsIgnoreCase(table))
                .toList();
    }

    /** Returns the tables as values for the change streams, by name as declared. */
    Map<String, Table> streamTables() {
        Map<String, Table> byName = new LinkedHashMap<>();
        tables.values().forEach(table -> byName.put(table.name(), table.table()));
        return byName;
    }

    /** Returns the statements that create the schema, parents before children and tables before indexes. */
    List<String> ddl(DatabaseDialect dialect) {
        List<String> statements = new ArrayList<>();
        bundle.ddl().ifPresent(statements::add);
        tables.values().forEach(table -> statements.add(table.ddl(dialect)));
        indexes.values().forEach(index -> statements.add(indexDdl(index, dialect)));
        return statements;
    }

    private static String indexDdl(CreateIndex index, DatabaseDialect dialect) {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        String parts = index.parts().stream()
                .map(part -> StoredTable.shown(part.column(), postgres) + (part.descending() ? " DESC" : ""))
                .collect(Collectors.joining(", "));
        String storing = index.storing().stream()
                .map(column -> StoredTable.shown(column, postgres))
                .collect(Collectors.joining(", ", postgres ? " INCLUDE (" : " STORING (", ")"));
        return "CREATE %s%sINDEX %s ON %s(%s)%s"
                .formatted(
                        index.unique() ? "UNIQUE " : "",
                        index.nullFiltered() && !postgres ? "NULL_FILTERED " : "",
                        StoredTable.shown(index.name(), postgres),
                        StoredTable.shown(index.table(), postgres),
                        parts,
                        index.storing().isEmpty() ? "" : storing);
    }

    /** Returns the columns by which an index orders its table: its own, then the rest of the primary key. */
    List<KeyPart> orderOf(CreateIndex index) {
        List<KeyPart> order = new ArrayList<>(index.parts());
        for (KeyPart part : table(index.table()).definition().primaryKey()) {
            if (order.stream().noneMatch(known -> known.column().equalsIgnoreCase(part.column()))) {
                order.add(part);
            }
        }
        return order;
    }

    @Override
    public boolean isName(String lowerCaseName) {
        return names.contains(lowerCaseName);
    }

    @Override
    public Optional<List<String>> primaryKey(String table) {
        return findTable(table).map(found -> found.table().primaryKey());
    }

    @Override
    public Optional<Type> columnType(String table, String column) {
        return findTable(table).flatMap(found -> found.findColumn(column)).map(Column::type);
    }
}
