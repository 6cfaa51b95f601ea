package dev.spream.storage.jdbc.projection.internal;

import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Descriptions of the activity of sessions, as the server shows it; it hides those of other users from a user without
 * the privilege.
 */
public final class SessionTexts {
    private static final String HIDDEN = "<insufficient privilege>";
    private static final String UNKNOWN = "for how long is not known: grant pg_read_all_stats";

    private SessionTexts() {}

    /** Since when, of a row of {@code pg_stat_activity} with its query and the {@code seconds} of its transaction. */
    static String since(ResultSet row) throws SQLException {
        return isHidden(row) ? UNKNOWN : "for %d s".formatted(row.getLong("seconds"));
    }

    /** Since when, and what it said last. */
    public static String doing(ResultSet row) throws SQLException {
        return isHidden(row)
                ? UNKNOWN.replace("for how long", "for how long and with what")
                : "%s, with: %s"
                        .formatted(since(row), row.getString("query").strip().replaceAll("\\s+", " "));
    }

    private static boolean isHidden(ResultSet row) throws SQLException {
        return HIDDEN.equals(row.getString("query"));
    }
}
