package dev.spream.emulator.internal.sql;

import java.util.Set;

/** The words that the embedded engine has and Spanner has not, or not with that meaning. */
final class EngineWords {
    /** Names that mean something without a declaration. */
    private static final Set<String> NAMES = Set.of("""
            CURRENT_CATALOG CURRENT_PATH CURRENT_ROLE CURRENT_SCHEMA CURRENT_TIME CURRENT_USER DUAL LOCALTIME \
            LOCALTIMESTAMP ROWNUM SESSION_USER SYSTEM_USER USER _ROWID_""".split(" "));

    /** Operators and clauses. */
    private static final Set<String> KEYWORDS = Set.of("ILIKE", "MINUS", "QUALIFY", "REGEXP");

    private EngineWords() {}

    /** Refuses a word with Spanner's error; the cursor is after it. */
    static void refuse(Token token, TokenCursor cursor, boolean postgres) {
        boolean distinct = cursor.peek().isWord("DISTINCT")
                || (cursor.peek().isWord("NOT") && cursor.peek(1).isWord("DISTINCT"));
        if (!postgres && token.isWord("IS") && distinct) {
            throw Errors.invalidArgument(
                    "IS DISTINCT FROM is not supported [at %d:%d]", cursor.line(token), cursor.column(token));
        }
        if (token.isWord("OVER")) {
            throw postgres
                    ? Errors.unimplemented("Statements with WINDOW clauses are not supported")
                    : Errors.invalidArgument("Analytic functions not supported");
        }
        if (KEYWORDS.contains(token.upper())) {
            throw postgres
                    ? Errors.unimplemented("%s is not supported", token.upper())
                    : Errors.invalidArgument(
                            "Syntax error: Unexpected %s [at %d:%d]",
                            token.text(), cursor.line(token), cursor.column(token));
        }
        if (NAMES.contains(token.upper())) {
            throw postgres
                    ? Errors.unimplemented("Unsupported Postgres expression: %s", token.text())
                    : Errors.invalidArgument(
                            "Unrecognized name: %s [at %d:%d]", token.text(), cursor.line(token), cursor.column(token));
        }
    }
}
