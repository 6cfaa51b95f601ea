package dev.spream.testkit.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.Projection;
import dev.spream.projection.RebuildableProjection;
import dev.spream.projection.event.NewEvent;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Tests a projection into PostgreSQL: given events, then rows, as {@link ProjectionTester} does. Everything happens in
 * transactions that are rolled back, so nothing remains in the database. The tables of a {@link RebuildableProjection} are
 * created in a schema of such a transaction, which comes first in its {@code search_path}; those of other projections must
 * exist.
 *
 * <p>Confined to one thread.
 */
public final class SqlProjectionTester {
    private static final Pattern ORDERED = Pattern.compile("\\border\\s+by\\b", Pattern.CASE_INSENSITIVE);

    private final Projection<Connection> projection;
    private final DataSource database;
    private final ProjectionTester<Connection> tester;

    private SqlProjectionTester(Projection<Connection> projection, DataSource database) {
        this.projection = projection;
        this.database = requireNonNull(database, "database");
        this.tester = ProjectionTester.of(projection);
    }

    /**
     * Returns a tester of a projection.
     *
     * @param database a PostgreSQL database, in which the user may create schemas; the caller closes it
     */
    public static SqlProjectionTester of(Projection<Connection> projection, DataSource database) {
        return new SqlProjectionTester(projection, database);
    }

    /** Adds the next events of an aggregate. */
    public SqlProjectionTester given(String aggregateId, List<NewEvent> next) {
        tester.given(aggregateId, next);
        return this;
    }

    /**
     * Returns the rows of a query after the events. Safe to repeat, and to continue with more events.
     *
     * @param query a query; unless it has an {@code ORDER BY}, its rows are sorted by their texts, since the database may
     *     return them in any order
     * @return the values of each row, as the driver returns them, except that arrays are lists, and a {@code bytea} is its
     *     hexadecimal text
     * @throws AssertionError if the rows depend on how events are divided into batches
     * @throws Exception the failure of the projection, or of the query
     */
    public List<List<@Nullable Object>> rows(String query) throws Exception {
        try (Connection connection = database.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                return tester.readModel(() -> begin(connection), transaction -> select(transaction, query));
            } finally {
                connection.rollback();
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    private Connection begin(Connection connection) throws Exception {
        connection.rollback();
        if (projection instanceof RebuildableProjection<Connection> rebuildable) {
            String schema = "spream_test_" + UUID.randomUUID().toString().replace('-', '_');
            try (Statement statement = connection.createStatement()) {
                statement.execute("CREATE SCHEMA " + schema);
                statement.execute("SELECT set_config('search_path', '%s, ' || current_setting('search_path'), true)"
                        .formatted(schema));
            }
            rebuildable.create(connection);
        }
        return connection;
    }

    private static List<List<@Nullable Object>> select(Connection transaction, String query) throws SQLException {
        try (Statement statement = transaction.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            List<List<@Nullable Object>> rows = new ArrayList<>();
            while (found.next()) {
                List<@Nullable Object> row = new ArrayList<>();
                for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                    row.add(comparable(found.getObject(i)));
                }
                rows.add(row);
            }
            if (!ORDERED.matcher(query).find()) {
                rows.sort(Comparator.comparing(Object::toString));
            }
            return rows;
        }
    }

    /** Returns the value, with an array as a value that is equal to others of its content. */
    private static @Nullable Object comparable(@Nullable Object value) throws SQLException {
        return switch (value) {
            case byte[] bytes -> HexFormat.of().formatHex(bytes);
            case Array array -> comparable(array.getArray());
            case Object[] elements -> {
                List<@Nullable Object> list = new ArrayList<>();
                for (Object element : elements) {
                    list.add(comparable(element));
                }
                yield list;
            }
            case null, default -> value;
        };
    }
}
