package dev.spream.storage.jdbc.projection.internal;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.SessionPlans;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Several statements of one transaction that are sent to the server together and whose results are received together.
 * They are executed in order; each reads the effects of those before it, and what others committed before it began. The session
 * keeps their plans.
 * Confined to a call.
 */
public final class StatementBatch {
    private final Connection connection;
    private final SchemaName schema;
    private final SessionPlans plans;
    private final String begin;
    private final StringBuilder sql = new StringBuilder();
    private final List<Part<?>> parts = new ArrayList<>();

    /** @param begin statements without parameters and rows that are sent first; may be empty */
    StatementBatch(Connection connection, SchemaName schema, SessionPlans plans, String begin) {
        this.connection = connection;
        this.schema = schema;
        this.plans = plans;
        this.begin = begin;
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
        // With the first statements of a transaction, so that it takes no round trip; behind them, so that they can set
        // it up.
        boolean discards = !begin.isEmpty() && plans.areOld(connection);
        String text = schema.in(begin + sql);
        try (PreparedStatement statement = discards
                ? Statements.plannedAnew(connection, text + ";\n" + SessionPlans.DISCARD)
                : plans.prepareKept(connection, text)) {
            Parameters parameters = new Parameters(connection, statement);
            for (Part<?> part : parts) {
                part.binder.bind(parameters);
            }
            statement.execute();
            for (long skipped = begin.chars().filter(c -> c == ';').count(); skipped > 0; skipped--) {
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
