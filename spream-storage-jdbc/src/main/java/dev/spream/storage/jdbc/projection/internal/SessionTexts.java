package dev.spream.storage.jdbc.projection.internal;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Descriptions of the activity of sessions, as the server shows it; it hides those of other users from a user without
 * the privilege.
 */
public final class SessionTexts {
    private static final String HIDDEN = "<insufficient privilege>";
    private static final String UNKNOWN_TIME = "for an unknown time: grant pg_read_all_stats";
    private static final String UNKNOWN_STATEMENT =
            "for an unknown time and with an unknown statement: grant pg_read_all_stats";

    private SessionTexts() {}

    /**
     * Returns the duration of the transaction, from a row of {@code pg_stat_activity} with its query and the {@code
     * seconds} of its transaction.
     */
    static String since(ResultSet row) throws SQLException {
        return isHidden(row) ? UNKNOWN_TIME : "for %d s".formatted(row.getLong("seconds"));
    }

    /** Returns the duration of the transaction and its last statement. */
    public static String doing(ResultSet row) throws SQLException {
        return isHidden(row)
                ? UNKNOWN_STATEMENT
                : "%s, with: %s"
                        .formatted(since(row), row.getString("query").strip().replaceAll("\\s+", " "));
    }

    private static boolean isHidden(ResultSet row) throws SQLException {
        return HIDDEN.equals(row.getString("query"));
    }
}
