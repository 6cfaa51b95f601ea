package dev.spream.storage.jdbc.internal;

import java.util.Map;

/**
 * Tables that are created and migrated together, by numbered scripts.
 *
 * @param owner what the tables are of, as messages say it, such as "the partition storage"
 * @param location the folder of the scripts in this jar, with slashes
 * @param historyTable the table that remembers which scripts have run
 * @param version the number of the newest script; what this version of spream reads and writes
 * @param howToMigrate what to say in order to have them migrated, in a program and in a configuration
 * @param corrected whether a script was corrected after tables had been made by it, whose history has the old checksum
 * @param placeholders what the scripts write as <code>${name}</code>, by name
 */
public record MigratedTables(
        String owner,
        String location,
        String historyTable,
        int version,
        String howToMigrate,
        boolean corrected,
        Map<String, String> placeholders) {
    public MigratedTables {
        placeholders = Map.copyOf(placeholders);
    }

    /** Tables whose names are the same everywhere. */
    public MigratedTables(String owner, String location, String historyTable, int version, String howToMigrate) {
        this(owner, location, historyTable, version, howToMigrate, false, Map.of());
    }
}
