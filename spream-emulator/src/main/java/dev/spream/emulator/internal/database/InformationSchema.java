package dev.spream.emulator.internal.database;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.sql.DdlStatement.ColumnDef;
import dev.spream.emulator.internal.sql.DdlStatement.CreateIndex;
import dev.spream.emulator.internal.sql.DdlStatement.KeyPart;
import dev.spream.emulator.internal.sql.DdlStatement.Parent;
import dev.spream.emulator.internal.sql.SqlTranslator;
import dev.spream.emulator.internal.stream.ChangeStreamInfo;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of the information schema that clients read, as tables of the engine that are written anew after each schema
 * change. Columns are those of Spanner's documentation, as far as they mean something here.
 */
final class InformationSchema {
    private static final String SCHEMA = SqlTranslator.quoted(SqlTranslator.INFORMATION_SCHEMA);
    private static final Map<String, String> TABLES = Map.of(
            "SCHEMATA", "catalog_name VARCHAR, schema_name VARCHAR",
            "DATABASE_OPTIONS",
                    "catalog_name VARCHAR, schema_name VARCHAR, option_name VARCHAR, option_type VARCHAR,"
                            + " option_value VARCHAR",
            "TABLES",
                    "table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, table_type VARCHAR,"
                            + " parent_table_name VARCHAR, on_delete_action VARCHAR, spanner_state VARCHAR",
            "COLUMNS",
                    "table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, column_name VARCHAR,"
                            + " ordinal_position BIGINT, column_default VARCHAR, data_type VARCHAR, is_nullable VARCHAR,"
                            + " spanner_type VARCHAR, is_generated VARCHAR, spanner_state VARCHAR",
            "INDEXES",
                    "table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, index_name VARCHAR,"
                            + " index_type VARCHAR, parent_table_name VARCHAR, is_unique BOOLEAN,"
                            + " is_null_filtered BOOLEAN, index_state VARCHAR, spanner_is_managed BOOLEAN",
            "INDEX_COLUMNS",
                    "table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, index_name VARCHAR,"
                            + " index_type VARCHAR, column_name VARCHAR, ordinal_position BIGINT,"
                            + " column_ordering VARCHAR, is_nullable VARCHAR, spanner_type VARCHAR",
            "CHANGE_STREAMS",
                    "change_stream_catalog VARCHAR, change_stream_schema VARCHAR, change_stream_name VARCHAR,"
                            + " \"all\" BOOLEAN",
            "CHANGE_STREAM_TABLES",
                    "change_stream_catalog VARCHAR, change_stream_schema VARCHAR, change_stream_name VARCHAR,"
                            + " table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, all_columns BOOLEAN",
            "CHANGE_STREAM_COLUMNS",
                    "change_stream_catalog VARCHAR, change_stream_schema VARCHAR, change_stream_name VARCHAR,"
                            + " table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, column_name VARCHAR",
            "CHANGE_STREAM_OPTIONS",
                    "change_stream_catalog VARCHAR, change_stream_schema VARCHAR, change_stream_name VARCHAR,"
                            + " option_name VARCHAR, option_type VARCHAR, option_value VARCHAR");

    private final Engine engine;
    private final DatabaseDialect dialect;
    private final String catalog;
    private final String schemaName;

    InformationSchema(Engine engine, DatabaseDialect dialect, String databaseName) throws SQLException {
        this.engine = engine;
        this.dialect = dialect;
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        this.catalog = postgres ? databaseName : "";
        this.schemaName = postgres ? "public" : "";
        engine.administer("CREATE SCHEMA " + SCHEMA);
        for (Map.Entry<String, String> table : TABLES.entrySet()) {
            engine.administer("CREATE TABLE %s.%s (%s)".formatted(SCHEMA, table.getKey(), columns(table.getValue())));
        }
        engine.administer("GRANT SELECT ON SCHEMA %s TO CLIENT".formatted(SCHEMA));
    }

    /** Column names are in capitals in GoogleSQL and in small letters in PostgreSQL. */
    private String columns(String definition) {
        return dialect == DatabaseDialect.POSTGRESQL ? definition : definition.toUpperCase(Locale.ROOT);
    }

    /** Writes all tables anew, in one transaction of the engine. */
    void refresh(Schema schema, List<ChangeStreamInfo> streams) throws SQLException {
        Connection connection = engine.administrator();
        connection.setAutoCommit(false);
        try {
            for (String table : TABLES.keySet()) {
                insert("DELETE FROM " + SCHEMA + "." + table);
            }
            row("SCHEMATA", catalog, schemaName);
            row(
                    "SCHEMATA",
                    catalog,
                    dialect == DatabaseDialect.POSTGRESQL ? "information_schema" : "INFORMATION_SCHEMA");
            String type = dialect == DatabaseDialect.POSTGRESQL ? "character varying" : "STRING";
            row("DATABASE_OPTIONS", catalog, schemaName, "database_dialect", type, dialect.name());
            for (StoredTable table : schema.tables()) {
                writeTable(schema, table);
            }
            for (ChangeStreamInfo stream : streams) {
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
                catalog,
                schemaName,
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
                    catalog,
                    schemaName,
                    name,
                    column.name(),
                    column.ordinalPosition(),
                    null,
                    dialect == DatabaseDialect.POSTGRESQL ? spannerType : null,
                    yesNo(!column.notNull()),
                    spannerType,
                    "NEVER",
                    "COMMITTED");
        }
        row("INDEXES", catalog, schemaName, name, "PRIMARY_KEY", "PRIMARY_KEY", "", true, false, null, false);
        writeIndexColumns(
                table, "PRIMARY_KEY", "PRIMARY_KEY", table.definition().primaryKey(), List.of());
        for (CreateIndex index : schema.indexesOf(name)) {
            row(
                    "INDEXES",
                    catalog,
                    schemaName,
                    name,
                    index.name(),
                    "INDEX",
                    "",
                    index.unique(),
                    index.nullFiltered(),
                    "READ_WRITE",
                    false);
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
                catalog,
                schemaName,
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

    private void writeStream(ChangeStreamInfo stream, String stringType) throws SQLException {
        row("CHANGE_STREAMS", catalog, schemaName, stream.name(), stream.all());
        for (Map.Entry<String, List<String>> watched : stream.tables().entrySet()) {
            boolean allColumns = watched.getValue().equals(List.of(ChangeStreamInfo.ALL_COLUMNS));
            row(
                    "CHANGE_STREAM_TABLES",
                    catalog,
                    schemaName,
                    stream.name(),
                    catalog,
                    schemaName,
                    watched.getKey(),
                    allColumns);
            for (String column : allColumns ? List.<String>of() : watched.getValue()) {
                row(
                        "CHANGE_STREAM_COLUMNS",
                        catalog,
                        schemaName,
                        stream.name(),
                        catalog,
                        schemaName,
                        watched.getKey(),
                        column);
            }
        }
        for (Map.Entry<String, String> option : stream.options().entrySet()) {
            row(
                    "CHANGE_STREAM_OPTIONS",
                    catalog,
                    schemaName,
                    stream.name(),
                    option.getKey(),
                    stringType,
                    option.getValue());
        }
    }

    private static String yesNo(boolean yes) {
        return yes ? "YES" : "NO";
    }

    private void row(String table, @Nullable Object... values) throws SQLException {
        String marks = "?" + ", ?".repeat(values.length - 1);
        insert("INSERT INTO %s.%s VALUES (%s)".formatted(SCHEMA, table, marks), values);
    }

    private void insert(String sql, @Nullable Object... values) throws SQLException {
        try (PreparedStatement statement = engine.administrator().prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
