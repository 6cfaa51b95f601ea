package dev.spream.benchmarks.harness;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Helper methods for SQL statements. */
public final class Sql {
    private Sql() {}

    public static void run(DataSource database, String... statements) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Fails unless two tables have the same rows, since their rates could not be compared. */
    public static void requireEqual(DataSource database, String one, String other) throws SQLException {
        long different = count(
                database,
                "((TABLE %1$s EXCEPT TABLE %2$s) UNION ALL (TABLE %2$s EXCEPT TABLE %1$s)) AS different"
                        .formatted(one, other));
        if (different != 0) {
            throw new IllegalStateException(different + " rows differ");
        }
    }

    /** Returns the number of rows of a table, optionally with a condition appended. */
    public static long count(DataSource database, String rows) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT count(*) FROM " + rows)) {
            result.next();
            return result.getLong(1);
        }
    }
}
