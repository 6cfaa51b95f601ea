package dev.spream.emulator.internal.database;

import static dev.spream.emulator.internal.sql.SqlTranslator.quoted;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.sql.TableWatch;
import dev.spream.emulator.internal.stream.StreamDefinition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The tables of the information schema that clients read, stored as tables of the engine and rewritten after each
 * schema change. Columns are those of Spanner's documentation, as far as they apply to the emulator.
 */
final class InformationSchema {
    private static final String SCHEMA = quoted(SqlTranslator.INFORMATION_SCHEMA);
    /** Columns by table; the type is text unless given. */
    private static final Map<String, String> TABLES = Map.of(
            "SCHEMATA", "catalog_name, schema_name",
            "DATABASE_OPTIONS", "catalog_name, schema_name, option_name, option_type, option_value",
            "TABLES",
                    "table_catalog, table_schema, table_name, table_type, parent_table_name, on_delete_action,"
                            + " spanner_state",
            "COLUMNS",
                    "table_catalog, table_schema, table_name, column_name, ordinal_position BIGINT, column_default,"
                            + " data_type, is_nullable, spanner_type, is_generated, spanner_state",
            "INDEXES",
                    "table_catalog, table_schema, table_name, index_name, index_type, parent_table_name,"
                            + " is_unique BOOLEAN, is_null_filtered BOOLEAN, index_state, spanner_is_managed BOOLEAN",
            "INDEX_COLUMNS",
                    "table_catalog, table_schema, table_name, index_name, index_type, column_name,"
                            + " ordinal_position BIGINT, column_ordering, is_nullable, spanner_type",
            "CHANGE_STREAMS", "change_stream_catalog, change_stream_schema, change_stream_name, \"all\" BOOLEAN",
            "CHANGE_STREAM_TABLES",
                    "change_stream_catalog, change_stream_schema, change_stream_name, table_catalog, table_schema,"
                            + " table_name, all_columns BOOLEAN",
            "CHANGE_STREAM_COLUMNS",
                    "change_stream_catalog, change_stream_schema, change_stream_name, table_catalog, table_schema,"
                            + " table_name, column_name",
            "CHANGE_STREAM_OPTIONS",
                    "change_stream_catalog, change_stream_schema, change_stream_name, option_name, option_type,"
                            + " option_value");

    private final Engine engine;
    private final DatabaseDialect dialect;
    private final boolean postgres;
    private final String catalog;
    private final String schemaName;

    InformationSchema(Engine engine, DatabaseDialect dialect, String databaseName) throws SQLException {
        this.engine = engine;
        this.dialect = dialect;
        this.postgres = dialect == DatabaseDialect.POSTGRESQL;
        this.catalog = postgres ? databaseName : "";
        this.schemaName = postgres ? "public" : "";
        engine.administer("CREATE SCHEMA " + SCHEMA);
        for (Map.Entry<String, String> table : TABLES.entrySet()) {
            engine.administer("CREATE TABLE %s.%s (%s)".formatted(SCHEMA, table.getKey(), columns(table.getValue())));
        }
        engine.administer("GRANT SELECT ON SCHEMA %s TO CLIENT".formatted(SCHEMA));
    }

    /** Returns column names in upper case in GoogleSQL; in PostgreSQL in lower case, and YES and NO for Boolean values. */
    private String columns(String names) {
        String definition = Arrays.stream(names.split(", "))
                .map(column -> column.contains(" ") ? column : column + " VARCHAR")
                .collect(Collectors.joining(", "));
        return postgres ? definition.replace(" BOOLEAN", " VARCHAR") : definition.toUpperCase(Locale.ROOT);
    }

    /** Rewrites all tables, in one transaction of the engine. */
    void refresh(Schema schema, List<StreamDefinition> streams) throws SQLException {
        Connection connection = engine.administrator();
        connection.setAutoCommit(false);
        try {
            for (String table : TABLES.keySet()) {
                execute("DELETE FROM " + SCHEMA + "." + table);
            }
            row("SCHEMATA");
            insert("SCHEMATA", catalog, postgres ? "information_schema" : "INFORMATION_SCHEMA");
            String type = postgres ? "character varying" : "STRING";
            row("DATABASE_OPTIONS", "database_dialect", type, dialect.name());
            for (StoredTable table : schema.tables()) {
                writeTable(schema, table);
            }
            for (StreamDefinition stream : streams) {
                writeStream(stream, type);
            }
            connection.commit();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private void writeTable(Schema schema, StoredTable table) throws SQLException {
        String name = table.name();
        Parent parent = table.definition().parent().orElse(null);
        row(
                "TABLES",
                name,
                "BASE TABLE",
                parent == null ? null : parent.table(),
                parent == null ? null : parent.deleteCascades() ? "CASCADE" : "NO ACTION",
                "COMMITTED");
        for (Column column : table.table().columns()) {
            ColumnDef definition = table.definition().columns().get(column.ordinalPosition() - 1);
            String spannerType = definition.type().declared();
            row(
                    "COLUMNS",
                    name,
                    column.name(),
                    column.ordinalPosition(),
                    null,
                    postgres ? spannerType : null,
                    yesNo(!column.notNull()),
                    spannerType,
                    "NEVER",
                    "COMMITTED");
        }
        row("INDEXES", name, "PRIMARY_KEY", "PRIMARY_KEY", "", true, false, null, false);
        writeIndexColumns(
                table, "PRIMARY_KEY", "PRIMARY_KEY", table.definition().primaryKey(), List.of());
        for (CreateIndex index : schema.indexesOf(name)) {
            row("INDEXES", name, index.name(), "INDEX", "", index.unique(), index.nullFiltered(), "READ_WRITE", false);
            writeIndexColumns(table, index.name(), "INDEX", index.parts(), index.storing());
        }
    }

    private void writeIndexColumns(
            StoredTable table, String index, String type, List<KeyPart> parts, List<String> storing)
            throws SQLException {
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
            @Nullable String ordering)
            throws SQLException {
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
                table.definition()
                        .columns()
                        .get(column.ordinalPosition() - 1)
                        .type()
                        .declared());
    }

    private void writeStream(StreamDefinition stream, String stringType) throws SQLException {
        row("CHANGE_STREAMS", stream.name(), stream.watched().all());
        for (TableWatch watch : stream.watched().tables()) {
            row("CHANGE_STREAM_TABLES", stream.name(), catalog, schemaName, watch.table(), watch.wholeTable());
            for (String column : watch.columns()) {
                row("CHANGE_STREAM_COLUMNS", stream.name(), catalog, schemaName, watch.table(), column);
            }
        }
        for (Map.Entry<String, String> option : stream.options().declared().entrySet()) {
            row("CHANGE_STREAM_OPTIONS", stream.name(), option.getKey(), stringType, option.getValue());
        }
    }

    private static String yesNo(boolean yes) {
        return yes ? "YES" : "NO";
    }

    /** Writes a row, with catalog and schema as its first values. */
    private void row(String table, @Nullable Object... values) throws SQLException {
        insert(
                table,
                Stream.concat(Stream.of(catalog, schemaName), Arrays.stream(values))
                        .toArray());
    }

    private void insert(String table, @Nullable Object... values) throws SQLException {
        String marks = "?" + ", ?".repeat(values.length - 1);
        execute("INSERT INTO %s.%s VALUES (%s)".formatted(SCHEMA, table, marks), values);
    }

    private void execute(String sql, @Nullable Object... values) throws SQLException {
        List<@Nullable Object> binds = Arrays.asList(values);
        if (postgres) {
            binds.replaceAll(value -> value instanceof Boolean yes ? yesNo(yes) : value);
        }
        try (PreparedStatement statement = Statements.prepare(engine.administrator(), sql, binds)) {
            statement.executeUpdate();
        }
    }
}
