package dev.spream.benchmarks;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Statements of the benchmarks' own. */
final class Sql {
    private Sql() {}

    static void run(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Rows of a table, or of one with a condition behind it. */
    static long count(DataSource database, String rows) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT count(*) FROM " + rows)) {
            result.next();
            return result.getLong(1);
        }
    }
}
