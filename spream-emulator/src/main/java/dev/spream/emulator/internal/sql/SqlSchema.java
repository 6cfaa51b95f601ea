package dev.spream.emulator.internal.sql;

import java.util.List;

/** The parts of a database's schema that {@link SqlTranslator} needs: its names, and the key columns of its tables. */
public interface SqlSchema {
    /** Returns whether a table, column or index has this name, given in lower case. */
    boolean isName(String lowerCaseName);

    /** Returns the key columns of a table; throws if the table does not exist. */
    List<String> primaryKey(String table);
}
