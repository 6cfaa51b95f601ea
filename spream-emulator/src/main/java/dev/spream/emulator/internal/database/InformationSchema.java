package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.database.DefinedView.ViewColumn;
import dev.spream.emulator.internal.engine.Engine;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnSource;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.DefaultValue;
import dev.spream.emulator.internal.sql.DdlStatement.GeneratedColumn;
import dev.spream.emulator.internal.sql.DdlStatement.IdentityColumn;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.Privilege;
import dev.spream.emulator.internal.sql.SequenceOptions;
import dev.spream.emulator.internal.sql.SequenceOptions.SkippedRange;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.sql.Types;
import dev.spream.emulator.internal.stream.StreamDefinition;
import dev.spream.emulator.internal.streamsql.WatchSpec.TableWatch;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.h2.value.TypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * The rows of the information schema at one state of the schema. Its tables in the engine are computed from the present
 * one. Columns are those of Spanner's documentation, as far as they apply to the emulator.
 */
final class InformationSchema {
    /** The precision of PostgreSQL's numbers of a fixed size. */
    private static final Map<String, Long> BINARY_DIGITS = Map.of("bigint", 64L, "double precision", 53L, "real", 24L);

    private final Map<String, List<List<@Nullable Object>>> rows = new HashMap<>();
    private final boolean postgres;
    private final String catalog;
    private final String schemaName;

    /** Adds the tables to the engine. */
    static void addTables(Engine engine, DatabaseDialect dialect, Supplier<InformationSchema> present)
            throws SQLException {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        engine.administer("CREATE SCHEMA " + quoted(SqlTranslator.INFORMATION_SCHEMA));
        for (InformationTable table : InformationTable.all(postgres)) {
            engine.addComputedTable(
                    SqlTranslator.INFORMATION_SCHEMA,
                    table.name(),
                    columns(table, postgres),
                    () -> present.get().rows.getOrDefault(table.name(), List.of()));
        }
    }

    /** Returns columns in upper case in GoogleSQL; in PostgreSQL in lower case, and YES and NO for Boolean values. */
    private static List<org.h2.table.Column> columns(InformationTable table, boolean postgres) {
        List<org.h2.table.Column> columns = new ArrayList<>();
        for (String column : table.columns().split(", ", -1)) {
            String name = column.split(" ", -1)[0].replace("\"", "");
            TypeInfo type = column.endsWith(" BIGINT")
                    ? TypeInfo.TYPE_BIGINT
                    : column.endsWith(" BOOLEAN") && !postgres ? TypeInfo.TYPE_BOOLEAN : TypeInfo.TYPE_VARCHAR;
            columns.add(new org.h2.table.Column(postgres ? name : name.toUpperCase(Locale.ROOT), type));
        }
        return columns;
    }

    InformationSchema(Schema schema, List<StreamDefinition> streams, DatabaseDialect dialect, String databaseName) {
        this.postgres = dialect == DatabaseDialect.POSTGRESQL;
        this.catalog = postgres ? databaseName : "";
        this.schemaName = postgres ? "public" : "";
        insert("SCHEMATA", catalog, schemaName);
        for (String name : postgres
                ? List.of("information_schema", "pg_catalog", "spanner_sys")
                : List.of("INFORMATION_SCHEMA", "SPANNER_SYS")) {
            insert("SCHEMATA", catalog, name);
        }
        for (String name : schema.namedSchemas()) {
            insert("SCHEMATA", catalog, name);
        }
        String type = postgres ? "character varying" : "STRING";
        insert("DATABASE_OPTIONS", catalog, schemaName, "database_dialect", type, dialect.name());
        ConstraintInformation constraints = new ConstraintInformation(schema, this);
        for (StoredTable table : schema.tables()) {
            writeTable(schema, table);
            constraints.write(table);
        }
        schema.views().forEach(view -> writeView(view, dialect));
        schema.sequences().forEach((name, sequence) -> writeSequence(name, sequence.options()));
        schema.roles().byName().forEach(this::writeRole);
        streams.forEach(stream -> writeStream(stream, type));
    }

    private void writeTable(Schema schema, StoredTable table) {
        Parent parent = table.definition().parent().orElse(null);
        row(
                "TABLES",
                table.name(),
                parent == null ? null : simple(parent.table()),
                parent == null ? null : parent.deleteCascades() ? "CASCADE" : "NO ACTION",
                "BASE TABLE",
                "COMMITTED");
        for (Column column : table.table().columns()) {
            writeColumn(table, column);
        }
        indexRow(table, "PRIMARY_KEY", "PRIMARY_KEY", "", true, false, null, false);
        writeIndexColumns(
                table, "PRIMARY_KEY", "PRIMARY_KEY", table.definition().primaryKey(), List.of());
        for (CreateIndex index : schema.indexesOf(table.name())) {
            String name = simple(index.name());
            indexRow(table, name, "INDEX", "", index.unique(), index.nullFiltered(), "READ_WRITE", false);
            writeIndexColumns(table, name, "INDEX", index.parts(), index.storing());
        }
    }

    private void indexRow(StoredTable table, @Nullable Object... values) {
        row("INDEXES", table.name(), values);
    }

    private void writeColumn(StoredTable table, Column column) {
        ColumnDef definition = table.definition(column);
        String spannerType = definition.type().declared();
        ColumnSource source = definition.source().orElse(null);
        GeneratedColumn generated = source instanceof GeneratedColumn found ? found : null;
        Map<String, String> identity =
                source instanceof IdentityColumn found ? found.options().byName() : Map.of();
        columnRow(
                table.name(),
                column.name(),
                column.ordinalPosition(),
                source instanceof DefaultValue value ? value.expression() : null,
                spannerType,
                yesNo(!column.notNull()),
                spannerType,
                generated == null ? "NEVER" : "ALWAYS",
                generated == null ? null : generated.expression(),
                generated == null ? null : yesNo(generated.stored()),
                "COMMITTED",
                yesNo(!identity.isEmpty()),
                identity.isEmpty() ? null : "BY DEFAULT",
                identity.isEmpty() ? null : "BIT_REVERSED_POSITIVE_SEQUENCE",
                identity.get("start_with_counter"),
                identity.get("skip_range_min"),
                identity.get("skip_range_max"));
        if (column.allowsCommitTimestamp() && !postgres) {
            row("COLUMN_OPTIONS", table.name(), column.name(), "allow_commit_timestamp", "BOOL", "TRUE");
        }
    }

    /** Writes a column of a table, with what a dialect says of its type. */
    private void columnRow(
            String table,
            String column,
            long position,
            @Nullable String defaultValue,
            String type,
            @Nullable Object... properties) {
        List<@Nullable Object> values = new ArrayList<>();
        Collections.addAll(values, column, position, defaultValue);
        if (postgres) {
            String name = type.endsWith("[]") ? "ARRAY" : type.replaceFirst("\\(.*", "");
            values.add(name);
            values.add(name.equals(type) || name.equals("ARRAY") ? null : Long.valueOf(type.replaceAll("\\D", "")));
            values.add(BINARY_DIGITS.get(name));
            values.add(BINARY_DIGITS.containsKey(name) ? Long.valueOf(2) : name.equals("numeric") ? 10L : null);
            values.add(name.equals("bigint") ? 0L : null);
        } else {
            values.add(null);
        }
        Collections.addAll(values, properties);
        row("COLUMNS", table, values.toArray());
    }

    private void writeView(DefinedView view, DatabaseDialect dialect) {
        row("TABLES", view.name(), null, null, "VIEW", null);
        String query = view.definition().query();
        if (postgres) {
            row("VIEWS", view.name(), query, null, null, null, null, null, null, view.security());
        } else {
            row("VIEWS", view.name(), query, view.security());
        }
        int position = 1;
        for (ViewColumn column : view.columns()) {
            String type = Types.declared(column.type(), dialect);
            columnRow(
                    view.name(),
                    column.name(),
                    position++,
                    null,
                    type,
                    "YES",
                    type,
                    "NEVER",
                    null,
                    null,
                    "COMMITTED",
                    "NO",
                    null,
                    null,
                    null,
                    null,
                    null);
        }
    }

    private void writeRole(String role, Set<Privilege> privileges) {
        insert("ROLES", role, false);
        for (Privilege privilege : privileges) {
            switch (privilege.kind()) {
                case ROLE -> insert("ROLE_GRANTEES", privilege.object(), role);
                case TABLE, VIEW ->
                    row(
                            "TABLE_PRIVILEGES",
                            privilege.object(),
                            privilege.action().name(),
                            role);
                case CHANGE_STREAM ->
                    row(
                            "CHANGE_STREAM_PRIVILEGES",
                            privilege.object(),
                            privilege.action().name(),
                            role);
                case FUNCTION ->
                    row(
                            "ROUTINE_PRIVILEGES",
                            privilege.object(),
                            privilege.action().name(),
                            role);
                case SCHEMA -> {}
            }
        }
    }

    private void writeSequence(String name, SequenceOptions options) {
        if (postgres) {
            row(
                    "SEQUENCES",
                    name,
                    "INT64",
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    "NO",
                    "bit_reversed_positive",
                    options.start().orElse(1),
                    options.skipped().map(SkippedRange::min).orElse(null),
                    options.skipped().map(SkippedRange::max).orElse(null));
            return;
        }
        row("SEQUENCES", name, "INT64");
        for (Map.Entry<String, String> option : options.byName().entrySet()) {
            String type = option.getKey().equals("sequence_kind") ? "STRING" : "INT64";
            row("SEQUENCE_OPTIONS", name, option.getKey(), type, option.getValue());
        }
    }

    private void writeIndexColumns(
            StoredTable table, String index, String type, List<KeyPart> parts, List<String> storing) {
        int position = 1;
        for (KeyPart part : parts) {
            indexColumn(table, index, type, part.column(), position++, part.descending() ? "DESC" : "ASC");
        }
        for (String column : storing) {
            indexColumn(table, index, type, column, null, null);
        }
    }

    private void indexColumn(
            StoredTable table,
            String index,
            String type,
            String columnName,
            @Nullable Integer position,
            @Nullable String ordering) {
        Column column = table.column(columnName);
        row(
                "INDEX_COLUMNS",
                table.name(),
                index,
                type,
                column.name(),
                position,
                ordering,
                yesNo(!column.notNull()),
                table.definition(column).type().declared());
    }

    private void writeStream(StreamDefinition stream, String stringType) {
        row("CHANGE_STREAMS", stream.name(), stream.watched().all());
        for (TableWatch watch : stream.watched().tables()) {
            String schema = schemaOf(watch.table());
            String table = simple(watch.table());
            row("CHANGE_STREAM_TABLES", stream.name(), catalog, schema, table, watch.wholeTable());
            for (String column : watch.columns()) {
                row("CHANGE_STREAM_COLUMNS", stream.name(), catalog, schema, table, column);
            }
        }
        for (Map.Entry<String, String> option : stream.options().declared().entrySet()) {
            row("CHANGE_STREAM_OPTIONS", stream.name(), option.getKey(), stringType, option.getValue());
        }
    }

    static String yesNo(boolean yes) {
        return yes ? "YES" : "NO";
    }

    boolean isPostgres() {
        return postgres;
    }

    String catalog() {
        return catalog;
    }

    /** Returns the named schema of an object, or the default one. */
    String schemaOf(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? schemaName : name.substring(0, dot);
    }

    static String simple(String name) {
        return name.substring(name.indexOf('.') + 1);
    }

    /** Writes a row that begins with the catalog, the schema and the name of an object. */
    void row(String table, String object, @Nullable Object... values) {
        insert(
                table,
                Stream.concat(Stream.of(catalog, schemaOf(object), simple(object)), Arrays.stream(values))
                        .toArray());
    }

    void insert(String table, @Nullable Object... values) {
        List<@Nullable Object> row = Arrays.asList(values);
        if (postgres) {
            row.replaceAll(value -> value instanceof Boolean yes ? yesNo(yes) : value);
        }
        rows.computeIfAbsent(table, any -> new ArrayList<>()).add(row);
    }
}
