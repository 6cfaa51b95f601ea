package dev.spream.storage.jdbc.projection.internal;

import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * A transaction on a connection of its own, which its owner commits. Confined to a call.
 *
 * @param begin what its first trip to the server begins with
 */
public record ProjectionTransaction(Connection connection, SchemaName schema, String begin) {

    /** The first trip of the transaction; without it nothing else may be asked. */
    public StatementBatch first() {
        return new StatementBatch(connection, schema, begin);
    }

    public StatementBatch next() {
        return new StatementBatch(connection, schema, "");
    }

    /** The rows of one statement, by a trip of its own that is not the first. */
    public <T> List<T> rows(String statement, Database.Binder binder, Database.RowReader<T> reader)
            throws SQLException {
        StatementBatch trip = next();
        List<T> rows = trip.rows(statement, binder, reader);
        trip.run();
        return rows;
    }

    /** Likewise of a statement that returns one row. */
    public <T> T row(String statement, Database.Binder binder, Database.RowReader<T> reader) throws SQLException {
        return rows(statement, binder, reader).getFirst();
    }

    /** Likewise of a statement that returns one row or none. */
    public <T> Optional<T> find(String statement, Database.Binder binder, Database.RowReader<T> reader)
            throws SQLException {
        return rows(statement, binder, reader).stream().findFirst();
    }

    /** Runs one statement that returns nothing, likewise. */
    public void update(String statement, Database.Binder binder) throws SQLException {
        next().update(statement, binder).run();
    }

    /** Ends it without a change; another one begins with what is asked next. */
    public void rollback() throws SQLException {
        connection.rollback();
    }
}
