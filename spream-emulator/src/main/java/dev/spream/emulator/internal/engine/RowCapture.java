package dev.spream.emulator.internal.engine;

import dev.spream.emulator.internal.function.StatementScope;
import dev.spream.emulator.internal.sql.SqlTranslator;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.h2.api.Trigger;
import org.jspecify.annotations.Nullable;

/**
 * The triggers that every table has in the embedded engine, for the statement that runs on the same thread: one presents
 * each row to a guard before it is changed, one records it afterwards. Public, with a public constructor, since the
 * engine instantiates it.
 */
public final class RowCapture implements Trigger {
    private static final List<String> TIMES = List.of("BEFORE", "AFTER");
    private static final ThreadLocal<@Nullable List<RowEvent>> EVENTS = new ThreadLocal<>();

    private static final ThreadLocal<@Nullable Consumer<RowEvent>> GUARD = new ThreadLocal<>();

    private String tableName = "";
    private boolean before;

    /**
     * A row that a statement changes; values in the table's column order.
     *
     * @param before null for an insert
     * @param after null for a delete
     */
    public record RowEvent(
            String table,
            @Nullable List<@Nullable Object> before,
            @Nullable List<@Nullable Object> after) {}

    /** Adds the triggers to a table. */
    public static void attach(Engine engine, String table) throws SQLException {
        for (String time : TIMES) {
            engine.administer("CREATE TRIGGER %s %s INSERT, UPDATE, DELETE ON %s FOR EACH ROW CALL '%s'"
                    .formatted(name(time, table), time, SqlTranslator.quoted(table), RowCapture.class.getName()));
        }
    }

    public static void detach(Engine engine, String table) throws SQLException {
        for (String time : TIMES) {
            engine.administer("DROP TRIGGER " + name(time, table));
        }
    }

    private static String name(String time, String table) {
        return SqlTranslator.quoted(time + "_" + table);
    }

    /** Runs work that presents each row to the guard before it is changed; an exception of the guard prevents that. */
    public static <T> T guarded(Consumer<RowEvent> guard, StatementScope.Work<T, SQLException> work)
            throws SQLException {
        GUARD.set(guard);
        try {
            return work.run();
        } finally {
            GUARD.remove();
        }
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
        this.before = before;
    }

    @Override
    public void fire(Connection connection, @Nullable Object @Nullable [] before, @Nullable Object @Nullable [] after) {
        List<RowEvent> events = EVENTS.get();
        Consumer<RowEvent> receiver = this.before ? GUARD.get() : events == null ? null : events::add;
        if (receiver != null) {
            receiver.accept(new RowEvent(tableName, list(before), list(after)));
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
