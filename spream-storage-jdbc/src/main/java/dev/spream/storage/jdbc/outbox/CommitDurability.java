package dev.spream.storage.jdbc.outbox;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether the server confirms a commit before it is on disk: a crash could then lose an accepted request, or the
 * stored result of one.
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
                    "[{}] synchronous_commit is off: a server that crashes loses the last commits, so requests that were"
                            + " accepted may be gone, and answers that were given may be forgotten and their requests sent"
                            + " again; set it to on for these connections, such as by"
                            + " ALTER ROLE ... SET synchronous_commit = on",
                    database.tables());
        }
    }
}
