package dev.spream.storage.jdbc.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A script that creates tables in a database of MySQL or MariaDB. It can be repeated, because these servers commit each
 * DDL statement.
 *
 * @param resource the script in this jar, whose comments have lines of their own
 * @param names replaces the placeholders of a statement
 */
public record MySqlScript(String resource, UnaryOperator<String> names) {
    /** Names of locks have 64 characters at most. */
    private static final String LOCK = "SELECT GET_LOCK(LEFT(SHA2(?, 256), 60), 60)";

    private static final String UNLOCK = "SELECT RELEASE_LOCK(LEFT(SHA2(?, 256), 60))";
    private static final String DATABASE_EXISTS =
            "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?";
    private static final String TABLE_EXISTS =
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?";

    /** Work that one process at a time does. */
    public interface Work {
        void run() throws SQLException;
    }

    /**
     * Does work while no other process does work of this name.
     *
     * @return false, without doing it, if another process has been doing some for a minute
     */
    public static boolean alone(Connection connection, String name, Work work) throws SQLException {
        if (MySqlAnswers.number(connection, LOCK, name) != 1) {
            return false;
        }
        try {
            work.run();
            return true;
        } finally {
            MySqlAnswers.number(connection, UNLOCK, name);
        }
    }

    public static boolean tableExists(Connection connection, String database, String table) throws SQLException {
        return MySqlAnswers.number(connection, TABLE_EXISTS, database, table) > 0;
    }

    /** Creates the database if there is none, and runs the script; auto-commit is on. */
    public void run(Connection connection, String database) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (MySqlAnswers.number(connection, DATABASE_EXISTS, database) == 0) {
                statement.execute("CREATE DATABASE IF NOT EXISTS `%s`".formatted(database.replace("`", "``")));
            }
            for (String sql : statements()) {
                statement.execute(names.apply(sql));
            }
        }
    }

    private List<String> statements() {
        try (InputStream script = requireNonNull(MySqlScript.class.getResourceAsStream(resource), resource)) {
            String sql = new String(script.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("--"))
                    .collect(Collectors.joining("\n"));
            return List.of(sql.strip().split(";\\s*"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
