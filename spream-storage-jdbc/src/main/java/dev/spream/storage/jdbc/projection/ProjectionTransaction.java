package dev.spream.storage.jdbc.projection;

import dev.spream.storage.jdbc.internal.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A transaction on a connection of its own, which its owner commits. Confined to a call.
 *
 * @param begin what its first trip to the server begins with
 */
record ProjectionTransaction(Connection connection, SchemaName schema, String begin) {

    /** The first trip of the transaction; without it nothing else may be asked. */
    RoundTrip first() {
        return new RoundTrip(connection, schema, begin);
    }

    RoundTrip next() {
        return new RoundTrip(connection, schema, "");
    }

    /** Ends it without a change; another one begins with what is asked next. */
    void rollback() throws SQLException {
        connection.rollback();
    }
}
