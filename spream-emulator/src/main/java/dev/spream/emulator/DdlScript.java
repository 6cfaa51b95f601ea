package dev.spream.emulator;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.SqlScript;
import java.util.List;

/** The statements of a DDL file. */
public final class DdlScript {
    private DdlScript() {}

    /**
     * Returns the statements, without their semicolons: they end with one, apart from those in comments, literals and quoted
     * names of the dialect.
     */
    public static List<String> statements(String script, DatabaseDialect dialect) {
        return SqlScript.statements(script, Dialect.of(dialect));
    }
}
