package dev.spream.emulator.internal.sql;

import java.util.ArrayList;
import java.util.List;

/** Several statements, each of which ends with a semicolon; the last one need not. */
public final class SqlScript {
    private SqlScript() {}

    public static List<String> statements(String script, Dialect dialect) {
        List<String> statements = new ArrayList<>();
        int start = -1;
        int end = 0;
        for (Token token : Lexer.tokens(script, dialect == Dialect.POSTGRESQL)) {
            boolean ends = token.isSymbol(";") || token.kind() == Token.Kind.END;
            if (ends && start >= 0) {
                statements.add(script.substring(start, end));
                start = -1;
            } else if (!ends) {
                start = start < 0 ? token.start() : start;
                end = token.end();
            }
        }
        return statements;
    }
}
