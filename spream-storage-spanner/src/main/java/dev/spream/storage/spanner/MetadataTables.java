package dev.spream.storage.spanner;

import com.google.cloud.spanner.Dialect;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The names of the tables of one subscription: that of the partitions, which is the user's, and the others, which follow
 * from it.
 *
 * @param partitions the table of partitions: a letter, then up to 113 letters, digits and underscores
 * @param dialect how names are quoted, and compared
 */
record MetadataTables(String partitions, Dialect dialect) {
    /** Spanner allows 128 characters; the longest suffix takes 13. */
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,113}");

    MetadataTables {
        requireValid(partitions);
    }

    /** The name, if it can be that of the table of partitions. */
    static String requireValid(String table) {
        if (!IDENTIFIER.matcher(table).matches()) {
            throw new IllegalArgumentException(
                    "malformed metadata table name '%s': expected a letter, then up to 113 letters, digits and underscores"
                            .formatted(table));
        }
        return table;
    }

    /** One row: what the subscription is. */
    String subscription() {
        return partitions + "_Subscription";
    }

    String workers() {
        return partitions + "_Workers";
    }

    /** What remains of the partitions that were removed. */
    String proofs() {
        return partitions + "_Proofs";
    }

    /** The index of the partitions by state: it finds the unfinished ones and their parents, however many finished. */
    String byState() {
        return partitions + "_ByState";
    }

    String quoted(String name) {
        return isPostgres() ? "\"" + name + "\"" : "`" + name + "`";
    }

    /** The name as the database compares it: GoogleSQL does so without case. */
    String compared(String name) {
        return isPostgres() ? name : name.toLowerCase(Locale.ROOT);
    }

    /** The schema of tables that name none, in the information schema. */
    String defaultSchema() {
        return isPostgres() ? "public" : "";
    }

    boolean isPostgres() {
        return dialect == Dialect.POSTGRESQL;
    }
}
