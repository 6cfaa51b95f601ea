package dev.spream.storage.jdbc.mirror;

import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Queries of a test on the mirrored rows. */
final class MirrorRows {
    private final TestDatabase database;

    MirrorRows(TestDatabase database) {
        this.database = database;
    }

    /** The rows of a table of the schema {@code public}, unless it names another, as the server writes rows. */
    List<String> of(String table, String order) {
        return texts("SELECT t::text FROM %s t ORDER BY %s".formatted(table, order));
    }

    List<String> texts(String sql) {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = public");
            List<String> texts = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery(sql)) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
            statement.execute("RESET search_path");
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
