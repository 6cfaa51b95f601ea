package dev.spream.storage.jdbc.projection.internal;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Several statements of one transaction that are sent to the server together and whose results are received together.
 * They are executed in order; each reads the effects of those before it, and what others committed before it began.
 * Confined to a call.
 */
public final class StatementBatch {
    private final Connection connection;
    private final SchemaName schema;
    private final StringBuilder sql;
    private final int leading;
    private final List<Part<?>> parts = new ArrayList<>();

    /** @param begin statements without parameters and rows that are sent first; may be empty */
    StatementBatch(Connection connection, SchemaName schema, String begin) {
        this.connection = connection;
        this.schema = schema;
        this.sql = new StringBuilder(begin);
        this.leading = Math.toIntExact(begin.chars().filter(c -> c == ';').count());
    }

    /** Adds a statement that returns rows; the list is filled when this batch {@linkplain #run runs}. */
    public <T> List<T> rows(String statement, Database.Binder binder, Database.RowReader<T> reader) {
        List<T> rows = new ArrayList<>();
        sql.append(parts.isEmpty() ? "" : ";\n").append(statement);
        parts.add(new Part<>(binder, reader, rows));
        return rows;
    }

    /** Adds a statement that returns no rows. */
    public StatementBatch update(String statement, Database.Binder binder) {
        rows(statement, binder, row -> row);
        return this;
    }

    public void run() throws SQLException {
        if (parts.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = Statements.plannedAnew(connection, schema.in(sql.toString()))) {
            Parameters parameters = new Parameters(connection, statement);
            for (Part<?> part : parts) {
                part.binder.bind(parameters);
            }
            statement.execute();
            for (int i = 0; i < leading; i++) {
                statement.getMoreResults();
            }
            for (Part<?> part : parts) {
                part.read(statement);
                statement.getMoreResults();
            }
        }
    }

    private record Part<T>(Database.Binder binder, Database.RowReader<T> reader, List<T> rows) {
        void read(PreparedStatement statement) throws SQLException {
            try (ResultSet result = statement.getResultSet()) {
                while (result != null && result.next()) {
                    rows.add(reader.read(result));
                }
            }
        }
    }
}
