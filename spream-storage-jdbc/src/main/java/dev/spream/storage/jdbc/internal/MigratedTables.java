package dev.spream.storage.jdbc.internal;

import java.util.List;
import java.util.Map;

/**
 * Tables that are created and migrated together, by numbered scripts.
 *
 * @param owner what the tables belong to, as shown in messages, such as "the partition storage"
 * @param location the folder of the scripts in this jar, with slashes
 * @param historyTable the table that records the executed scripts
 * @param version the number of the newest script: the version of the tables that this version of spream reads and
 *     writes
 * @param howToMigrate the setting that migrates the tables, in a program and in a configuration
 * @param corrected whether a script was corrected after it had been used, so that histories may have its old checksum
 * @param placeholders the values of <code>${name}</code> in the scripts, by name
 * @param scripts the names of all scripts, for tables that are also created without Flyway; else empty
 */
public record MigratedTables(
        String owner,
        String location,
        String historyTable,
        int version,
        String howToMigrate,
        boolean corrected,
        Map<String, String> placeholders,
        List<String> scripts) {
    public MigratedTables {
        placeholders = Map.copyOf(placeholders);
        scripts = List.copyOf(scripts);
    }

    /** Describes tables that only Flyway creates. */
    public MigratedTables(
            String owner,
            String location,
            String historyTable,
            int version,
            String howToMigrate,
            boolean corrected,
            Map<String, String> placeholders) {
        this(owner, location, historyTable, version, howToMigrate, corrected, placeholders, List.of());
    }

    /** Describes tables whose names are the same everywhere. */
    public MigratedTables(String owner, String location, String historyTable, int version, String howToMigrate) {
        this(owner, location, historyTable, version, howToMigrate, false, Map.of());
    }

    /** Returns these tables with the names of all their scripts. */
    public MigratedTables with(List<String> named) {
        return new MigratedTables(owner, location, historyTable, version, howToMigrate, corrected, placeholders, named);
    }
}
