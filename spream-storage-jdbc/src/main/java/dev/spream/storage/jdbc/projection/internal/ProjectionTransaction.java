package dev.spream.storage.jdbc.projection.internal;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.SessionPlans;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * A transaction on a connection of its own, which its owner commits. Confined to a call.
 *
 * @param plans the plans that sessions keep
 * @param begin the statements that begin its first round trip
 */
public record ProjectionTransaction(Connection connection, SchemaName schema, SessionPlans plans, String begin) {

    /** Returns the first round trip of the transaction, which must precede all others. */
    public StatementBatch first() {
        return new StatementBatch(connection, schema, plans, begin);
    }

    public StatementBatch next() {
        return new StatementBatch(connection, schema, plans, "");
    }

    /** Returns the rows of one statement, in a round trip of its own that is not the first. */
    public <T> List<T> rows(String statement, Database.Binder binder, Database.RowReader<T> reader)
            throws SQLException {
        StatementBatch trip = next();
        List<T> rows = trip.rows(statement, binder, reader);
        trip.run();
        return rows;
    }

    /** Returns the row of a statement that returns one row, in a round trip of its own that is not the first. */
    public <T> T row(String statement, Database.Binder binder, Database.RowReader<T> reader) throws SQLException {
        return rows(statement, binder, reader).getFirst();
    }

    /**
     * Returns the row of a statement that returns one row or none, in a round trip of its own that is not the first.
     */
    public <T> Optional<T> find(String statement, Database.Binder binder, Database.RowReader<T> reader)
            throws SQLException {
        return rows(statement, binder, reader).stream().findFirst();
    }

    /** Runs a statement without rows, in a round trip of its own that is not the first. */
    public void update(String statement, Database.Binder binder) throws SQLException {
        next().update(statement, binder).run();
    }

    /** Rolls back; the next round trip begins another transaction. */
    public void rollback() throws SQLException {
        connection.rollback();
    }
}
