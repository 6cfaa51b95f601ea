package dev.spream.storage.jdbc.projection.version;

import dev.spream.storage.jdbc.projection.internal.ProjectionTransaction;
import java.sql.SQLException;
import java.util.List;

/**
 * Triggers that are enabled on the live version's table only, because they write tables that versions share, such as a
 * log. The same trigger is disabled on the candidate's table, and the cutover exchanges the states.
 */
final class TableTriggers {
    private static final String EXCHANGES = """
            SELECT format('ALTER TABLE %s %s TRIGGER %I', ?::text,
                    CASE o.tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'ENABLE' END, n.tgname) AS enable,
                format('ALTER TABLE %s DISABLE TRIGGER %I', ?::text, o.tgname) AS disable
            FROM pg_trigger o JOIN pg_trigger n ON n.tgname = o.tgname
            WHERE o.tgrelid = to_regclass(?) AND n.tgrelid = to_regclass(?) AND NOT o.tgisinternal AND NOT n.tgisinternal
                AND n.tgenabled = 'D' AND o.tgenabled <> 'D'
            ORDER BY n.tgname""";

    private TableTriggers() {}

    /**
     * Enables the triggers on one table as on the other, and disables them there.
     *
     * @param old the quoted name of the former live table
     * @param coming the quoted name of the table that replaces it
     */
    static void exchange(ProjectionTransaction transaction, String old, String coming) throws SQLException {
        List<List<String>> exchanges = transaction.rows(
                EXCHANGES,
                p -> p.text(coming).text(old).text(old).text(coming),
                row -> List.of(row.getString("enable"), row.getString("disable")));
        for (List<String> exchange : exchanges) {
            for (String alter : exchange) {
                VersionSchemas.execute(transaction, alter);
            }
        }
    }
}
