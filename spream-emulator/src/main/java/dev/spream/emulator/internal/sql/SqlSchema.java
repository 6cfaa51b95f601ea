package dev.spream.emulator.internal.sql;

import com.google.spanner.v1.Type;
import java.util.List;
import java.util.Optional;

/** The parts of a database's schema that {@link SqlTranslator} needs: its names, and the key columns of its tables. */
public interface SqlSchema {
    /** Returns whether a table, column or index has this name, given in lower case. */
    boolean isName(String lowerCaseName);

    /** Returns the key columns of a table; empty if there is no such table. */
    Optional<List<String>> primaryKey(String table);

    /** Returns the type of a column; empty if there is no such column. */
    Optional<Type> columnType(String table, String column);

    /** Returns whether a table or a view has this name, with its named schema. */
    boolean isTable(String name);

    boolean isSequence(String name);

    /** Returns the columns that a new row of a table must give a value. */
    List<String> requiredColumns(String table);

    boolean isGenerated(String table, String column);

    /** Returns the default value of a column in the engine's SQL; empty if it has none. */
    Optional<String> defaultValue(String table, String column);
}
