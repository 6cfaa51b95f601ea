package dev.spream.storage.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.UnaryOperator;

/** Reads single values from a server of MySQL or MariaDB. */
public final class MySqlAnswers {
    private MySqlAnswers() {}

    /** Returns the number; 0 if there is none. */
    public static long number(Connection connection, String question, String... names) throws SQLException {
        Database.Binder binder = p -> {
            for (String name : names) {
                p.text(name);
            }
        };
        return new Statements(connection, UnaryOperator.identity())
                .find(question, binder, row -> row.getLong(1))
                .orElse(0L);
    }

    public static String text(Connection connection, String question) throws SQLException {
        return Statements.answer(connection, question, row -> row.getString(1));
    }
}
