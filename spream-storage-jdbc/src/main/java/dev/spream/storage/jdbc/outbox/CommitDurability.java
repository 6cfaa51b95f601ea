package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a warning if the server confirms commits before they are on disk, since a crash could then lose accepted
 * requests or their stored results.
 */
final class CommitDurability {
    private static final Logger log = LoggerFactory.getLogger(CommitDurability.class);

    private static final String SETTING = "SELECT current_setting('synchronous_commit') AS setting";

    private CommitDurability() {}

    static void check(OutboxDatabase database) {
        String setting = database.row(
                "reading synchronous_commit for " + database.tables(),
                SETTING,
                p -> {},
                row -> row.getString("setting"));
        if (setting.equals("off")) {
            log.warn(
                    "[{}] synchronous_commit is off: a crash of the server loses the last commits, so accepted requests may be"
                            + " lost, and requests whose results were already returned may be sent"
                            + " again; set it to on for these connections, such as by"
                            + " ALTER ROLE ... SET synchronous_commit = on",
                    database.tables());
        }
    }
}
