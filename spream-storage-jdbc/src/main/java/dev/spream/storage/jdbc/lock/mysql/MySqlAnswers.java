package dev.spream.storage.jdbc.lock.mysql;

import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Answers of a server of MySQL or MariaDB to questions that have a single one. */
final class MySqlAnswers {
    private MySqlAnswers() {}

    /** 0 if there is none. */
    static long number(Connection connection, String question, String... names) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(question)) {
            for (int i = 0; i < names.length; i++) {
                statement.setString(i + 1, names[i]);
            }
            try (ResultSet answer = statement.executeQuery()) {
                return answer.next() ? answer.getLong(1) : 0;
            }
        }
    }

    static String text(Connection connection, String question) throws SQLException {
        return Statements.answer(connection, question, row -> row.getString(1));
    }
}
