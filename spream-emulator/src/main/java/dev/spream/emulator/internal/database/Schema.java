package dev.spream.emulator.internal.database;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.Type;
import dev.spream.emulator.internal.function.BitReversedSequence;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.CreateSchema;
import dev.spream.emulator.internal.sql.DdlStatement.DefaultValue;
import dev.spream.emulator.internal.sql.DdlStatement.DropSchema;
import dev.spream.emulator.internal.sql.DdlStatement.GeneratedColumn;
import dev.spream.emulator.internal.sql.DdlStatement.IdentityColumn;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.SetDefaultSequenceKind;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.ProtoBundle;
import dev.spream.emulator.internal.sql.SqlNames;
import dev.spream.emulator.internal.sql.SqlSchema;
import dev.spream.emulator.internal.sql.SqlTranslator;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The tables and indexes of a database at one moment. Immutable; names are compared without case. */
final class Schema implements SqlSchema {
    private final DatabaseDialect dialect;
    private final Parts parts;
    private final Set<String> names;

    /** The objects by their names in lower case. */
    private record Parts(
            ProtoBundle bundle,
            Map<String, StoredTable> tables,
            Map<String, CreateIndex> indexes,
            Map<String, NamedSequence> sequences,
            Map<String, DefinedView> views,
            Map<String, String> namedSchemas,
            Roles roles,
            Optional<SetDefaultSequenceKind> defaultSequenceKind) {

        Parts with(Map<String, StoredTable> other) {
            return new Parts(bundle, other, indexes, sequences, views, namedSchemas, roles, defaultSequenceKind);
        }

        Parts withIndexes(Map<String, CreateIndex> other) {
            return new Parts(bundle, tables, other, sequences, views, namedSchemas, roles, defaultSequenceKind);
        }

        Parts withSequences(Map<String, NamedSequence> other) {
            return new Parts(bundle, tables, indexes, other, views, namedSchemas, roles, defaultSequenceKind);
        }

        Parts withViews(Map<String, DefinedView> other) {
            return new Parts(bundle, tables, indexes, sequences, other, namedSchemas, roles, defaultSequenceKind);
        }

        Parts withNamedSchemas(Map<String, String> other) {
            return new Parts(bundle, tables, indexes, sequences, views, other, roles, defaultSequenceKind);
        }

        Parts with(Optional<SetDefaultSequenceKind> other) {
            return new Parts(bundle, tables, indexes, sequences, views, namedSchemas, roles, other);
        }

        Parts with(Roles other) {
            return new Parts(bundle, tables, indexes, sequences, views, namedSchemas, other, defaultSequenceKind);
        }

        Parts with(ProtoBundle other) {
            return new Parts(other, tables, indexes, sequences, views, namedSchemas, roles, defaultSequenceKind);
        }
    }

    private record NamedSequence(String name, BitReversedSequence sequence) {
        boolean ofIdentityColumn() {
            return name.endsWith(")");
        }
    }

    private Schema(DatabaseDialect dialect, Parts parts) {
        this.dialect = dialect;
        this.parts = parts;
        this.names = new HashSet<>(parts.tables.keySet());
        names.addAll(parts.indexes.keySet());
        for (DefinedView view : parts.views.values()) {
            names.add(key(view.name()));
            view.columns().forEach(column -> names.add(key(column.name())));
        }
        for (StoredTable table : parts.tables.values()) {
            for (Column column : table.table().columns()) {
                names.add(key(column.name()));
            }
        }
    }

    static Schema empty(DatabaseDialect dialect) {
        return new Schema(
                dialect,
                new Parts(
                        ProtoBundle.EMPTY,
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        Map.of(),
                        Roles.NONE,
                        Optional.empty()));
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static <T> Map<String, T> added(Map<String, T> objects, String name, T object) {
        Map<String, T> changed = new LinkedHashMap<>(objects);
        changed.put(key(name), object);
        return changed;
    }

    private static <T> Map<String, T> removed(Map<String, T> objects, String name) {
        Map<String, T> changed = new LinkedHashMap<>(objects);
        changed.remove(key(name));
        return changed;
    }

    Schema with(StoredTable table) {
        return new Schema(dialect, parts.with(added(parts.tables, table.name(), table)));
    }

    /** Returns the schema without a table, and without the sequences of its identity columns. */
    Schema withoutTable(String name) {
        Map<String, NamedSequence> sequences = new LinkedHashMap<>(parts.sequences);
        table(name)
                .table()
                .columns()
                .forEach(column -> sequences.remove(key(table(name).identitySequence(column.name()))));
        return new Schema(dialect, parts.with(removed(parts.tables, name)).withSequences(sequences));
    }

    Schema with(CreateIndex index) {
        return new Schema(dialect, parts.withIndexes(added(parts.indexes, index.name(), index)));
    }

    Schema withoutIndex(String name) {
        return new Schema(dialect, parts.withIndexes(removed(parts.indexes, name)));
    }

    Schema with(String name, BitReversedSequence sequence) {
        return new Schema(
                dialect, parts.withSequences(added(parts.sequences, name, new NamedSequence(name, sequence))));
    }

    Schema withoutSequence(String name) {
        return new Schema(dialect, parts.withSequences(removed(parts.sequences, name)));
    }

    Schema with(SetDefaultSequenceKind kind) {
        return new Schema(dialect, parts.with(Optional.of(kind).filter(SetDefaultSequenceKind::bitReversedPositive)));
    }

    Schema with(ProtoBundle changed) {
        return new Schema(dialect, parts.with(changed));
    }

    Schema with(DefinedView view) {
        return new Schema(dialect, parts.withViews(added(parts.views, view.name(), view)));
    }

    Schema withoutView(String name) {
        return new Schema(dialect, parts.withViews(removed(parts.views, name)));
    }

    Schema with(CreateSchema create) {
        if (isTaken(create.name())) {
            if (create.ifNotExists() && parts.namedSchemas.containsKey(key(create.name()))) {
                return this;
            }
            throw duplicateName(create.name());
        }
        return new Schema(dialect, parts.withNamedSchemas(added(parts.namedSchemas, create.name(), create.name())));
    }

    Schema without(DropSchema drop) {
        if (!parts.namedSchemas.containsKey(key(drop.name()))) {
            if (drop.ifExists()) {
                return this;
            }
            throw Errors.notFound("Schema not found: %s", drop.name());
        }
        String within = drop.name() + ".";
        List<String> dependencies = Stream.of(
                        tables().stream().map(StoredTable::name),
                        views().stream().map(DefinedView::name),
                        indexes().stream().map(CreateIndex::name),
                        sequences().keySet().stream())
                .flatMap(names -> names)
                .filter(name -> name.regionMatches(true, 0, within, 0, within.length()))
                .toList();
        if (!dependencies.isEmpty()) {
            throw Errors.failedPrecondition(
                    "Cannot drop schema %s while it has dependencies: %s.",
                    drop.name(), String.join(", ", dependencies));
        }
        return new Schema(dialect, parts.withNamedSchemas(removed(parts.namedSchemas, drop.name())));
    }

    Collection<String> namedSchemas() {
        return parts.namedSchemas.values();
    }

    /** Checks that the named schema of a new object exists. */
    void checkNamedSchemaOf(String name) {
        int dot = name.indexOf('.');
        if (dot >= 0 && !parts.namedSchemas.containsKey(key(name.substring(0, dot)))) {
            throw Errors.notFound("Schema not found: %s", name.substring(0, dot));
        }
    }

    Schema with(Roles roles) {
        return new Schema(dialect, parts.with(roles));
    }

    Roles roles() {
        return parts.roles;
    }

    Collection<DefinedView> views() {
        return parts.views.values();
    }

    Optional<DefinedView> findView(String name) {
        return Optional.ofNullable(parts.views.get(key(name)));
    }

    /** Returns whether something in the schema has this name. */
    boolean isTaken(String name) {
        return findTable(name).isPresent()
                || findIndex(name).isPresent()
                || isSequence(name)
                || findView(name).isPresent()
                || parts.namedSchemas.containsKey(key(name))
                || tables().stream()
                        .flatMap(table -> table.definition().constraints().stream())
                        .anyMatch(constraint -> constraint.name().equalsIgnoreCase(name));
    }

    static StatusRuntimeException duplicateName(String name) {
        return Errors.failedPrecondition("Duplicate name in schema: %s.", name);
    }

    Optional<SetDefaultSequenceKind> defaultSequenceKind() {
        return parts.defaultSequenceKind;
    }

    /** Returns the sequences by name, without those of identity columns. */
    Map<String, BitReversedSequence> sequences() {
        Map<String, BitReversedSequence> declared = new LinkedHashMap<>();
        parts.sequences.values().stream()
                .filter(sequence -> !sequence.ofIdentityColumn())
                .forEach(sequence -> declared.put(sequence.name, sequence.sequence));
        return declared;
    }

    BitReversedSequence sequence(String name) {
        NamedSequence found = parts.sequences.get(key(name));
        if (found == null) {
            throw Errors.notFound("Sequence not found: %s", name);
        }
        return found.sequence;
    }

    /** Returns the default or generated value of a column in the engine's SQL. */
    String computedValue(StoredTable table, Column column) {
        ColumnDef definition = table.definition(column);
        return definition.isGenerated()
                ? SqlTranslator.expression(table.generatedExpression(definition, dialect), dialect, this, true)
                : defaultValue(table.name(), column.name()).orElse("NULL");
    }

    /** Returns whether an expression uses a column. */
    boolean uses(String expression, String column) {
        return SqlNames.namesIn(expression, dialect).contains(key(column));
    }

    boolean mentionsSequence(String engineSql, String name) {
        return key(engineSql).contains("_value('" + key(name) + "')");
    }

    /** Returns the column types that are no types of Spanner. */
    ProtoBundle bundle() {
        return parts.bundle;
    }

    Collection<StoredTable> tables() {
        return parts.tables.values();
    }

    Collection<CreateIndex> indexes() {
        return parts.indexes.values();
    }

    Optional<StoredTable> findTable(String name) {
        return Optional.ofNullable(parts.tables.get(key(name)));
    }

    Optional<CreateIndex> findIndex(String name) {
        return Optional.ofNullable(parts.indexes.get(key(name)));
    }

    StoredTable table(String name) {
        return findTable(name).orElseThrow(() -> Errors.notFound("Table not found: %s", name));
    }

    List<CreateIndex> indexesOf(String table) {
        return parts.indexes.values().stream()
                .filter(index -> index.table().equalsIgnoreCase(table))
                .toList();
    }

    /** Returns the tables as values for the change streams, by name as declared. */
    Map<String, Table> streamTables() {
        Map<String, Table> byName = new LinkedHashMap<>();
        parts.tables.values().forEach(table -> byName.put(table.name(), table.table()));
        return byName;
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
        return findTable(table)
                .flatMap(found -> found.findColumn(column))
                .map(Column::type)
                .or(() -> findView(table).flatMap(view -> view.columnType(column)));
    }

    @Override
    public boolean isTable(String name) {
        return findTable(name).isPresent() || findView(name).isPresent();
    }

    @Override
    public boolean isSequence(String name) {
        return parts.sequences.containsKey(key(name));
    }

    @Override
    public List<String> requiredColumns(String table) {
        return table(table).requiredColumns().stream().map(Column::name).toList();
    }

    @Override
    public boolean isGenerated(String table, String column) {
        return findTable(table)
                .flatMap(found -> found.findColumn(column))
                .filter(Column::generated)
                .isPresent();
    }

    @Override
    public Optional<String> defaultValue(String table, String column) {
        return findTable(table)
                .flatMap(found -> found.findColumn(column)
                        .map(found::definition)
                        .flatMap(definition -> definition.source().flatMap(source -> switch (source) {
                            case DefaultValue value ->
                                Optional.of(SqlTranslator.expression(value.expression(), dialect, this, false));
                            case IdentityColumn ignored ->
                                Optional.of("SPANNER_NEXT_VALUE('%s')"
                                        .formatted(found.identitySequence(definition.name())));
                            case GeneratedColumn ignored -> Optional.empty();
                        })));
    }
}
