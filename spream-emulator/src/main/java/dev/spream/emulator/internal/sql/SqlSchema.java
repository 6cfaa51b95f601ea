package dev.spream.emulator.internal.sql;

import java.util.List;

/** The database as far as a translation must know it. */
public interface SqlSchema {
    /** Returns whether a table, column or index has this name, given in lower case. */
    boolean isName(String lowerCaseName);

    /** The key columns of a table; throws if there is no such table. */
    List<String> primaryKey(String table);
}
