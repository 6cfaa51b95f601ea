package dev.spream.storage.spanner;

import com.google.cloud.spanner.Dialect;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The names of the tables of one subscription: that of the partitions, chosen by the user, and the others, derived from
 * it.
 *
 * @param partitions the table of partitions: a letter, then up to 113 letters, digits and underscores
 * @param dialect the dialect, which determines how names are quoted and compared
 */
record MetadataTables(String partitions, Dialect dialect) {
    /** The form of names: Spanner allows 128 characters, and the longest suffix has 13. */
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z][A-Za-z0-9_]{0,113}");

    MetadataTables {
        requireValid(partitions);
    }

    /** Returns the name, if it is valid for the table of partitions. */
    static String requireValid(String table) {
        if (!isValid(table)) {
            throw new IllegalArgumentException(
                    "malformed metadata table name '%s': expected a letter, then up to 113 letters, digits and underscores"
                            .formatted(table));
        }
        return table;
    }

    static boolean isValid(String table) {
        return IDENTIFIER.matcher(table).matches();
    }

    /** Returns the table with the record of the subscription, of one row. */
    String subscription() {
        return partitions + "_Subscription";
    }

    String workers() {
        return partitions + "_Workers";
    }

    /** Returns the table with the proofs of removed partitions. */
    String proofs() {
        return partitions + "_Proofs";
    }

    /** Returns the table with the audit of corrections. */
    String corrections() {
        return partitions + "_Corrections";
    }

    /**
     * Returns the index of the partitions by state and last change, which finds the unfinished ones, and those that
     * changed, whatever the number of others.
     */
    String byChange() {
        return partitions + "_ByChange";
    }

    String quoted(String name) {
        return isPostgres() ? "\"" + name + "\"" : "`" + name + "`";
    }

    /** Returns the name in the form in which the database compares it: GoogleSQL ignores case. */
    String compared(String name) {
        return isPostgres() ? name : name.toLowerCase(Locale.ROOT);
    }

    /** Returns the schema of unqualified tables in the information schema. */
    String defaultSchema() {
        return isPostgres() ? "public" : "";
    }

    boolean isPostgres() {
        return dialect == Dialect.POSTGRESQL;
    }
}
