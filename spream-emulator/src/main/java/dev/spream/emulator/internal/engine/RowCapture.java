package dev.spream.emulator.internal.engine;

import dev.spream.emulator.internal.sql.SqlTranslator;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.h2.api.Trigger;
import org.jspecify.annotations.Nullable;

/**
 * The trigger that every table has in the embedded engine. It records each row that a statement changed, before and
 * after, for the statement that runs on the same thread. Public, with a public constructor, since the engine
 * instantiates it.
 */
public final class RowCapture implements Trigger {
    private static final ThreadLocal<@Nullable List<RowEvent>> EVENTS = new ThreadLocal<>();

    private String tableName = "";

    /**
     * A row that a statement changed; values in the table's column order.
     *
     * @param before null for an insert
     * @param after null for a delete
     */
    public record RowEvent(
            String table,
            @Nullable List<@Nullable Object> before,
            @Nullable List<@Nullable Object> after) {}

    /** Adds the trigger to a table. */
    public static void attach(Engine engine, String table) throws SQLException {
        engine.administer("CREATE TRIGGER %s AFTER INSERT, UPDATE, DELETE ON %s FOR EACH ROW CALL '%s'"
                .formatted(name(table), SqlTranslator.quoted(table), RowCapture.class.getName()));
    }

    public static void detach(Engine engine, String table) throws SQLException {
        engine.administer("DROP TRIGGER " + name(table));
    }

    private static String name(String table) {
        return SqlTranslator.quoted("CAPTURE_" + table);
    }

    /** Runs a statement and returns the rows that it changed. */
    public static List<RowEvent> during(SqlAction statement) throws SQLException {
        List<RowEvent> events = new ArrayList<>();
        EVENTS.set(events);
        try {
            statement.run();
        } finally {
            EVENTS.remove();
        }
        return events;
    }

    @Override
    public void init(Connection connection, String schema, String trigger, String table, boolean before, int type) {
        this.tableName = table;
    }

    @Override
    public void fire(Connection connection, @Nullable Object @Nullable [] before, @Nullable Object @Nullable [] after) {
        List<RowEvent> events = EVENTS.get();
        if (events != null) {
            events.add(new RowEvent(tableName, list(before), list(after)));
        }
    }

    private static @Nullable List<@Nullable Object> list(@Nullable Object @Nullable [] values) {
        return values == null ? null : Arrays.asList(values);
    }

    @FunctionalInterface
    public interface SqlAction {
        void run() throws SQLException;
    }
}
