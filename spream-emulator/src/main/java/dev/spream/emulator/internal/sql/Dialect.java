package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import java.util.Locale;

/** The two dialects of Spanner, with the differences in the syntax of their change streams. */
public enum Dialect {
    GOOGLE_STANDARD_SQL("READ_", '`'),
    POSTGRESQL("read_json_", '"');

    private final String readFunctionPrefix;
    private final char quote;

    Dialect(String readFunctionPrefix, char quote) {
        this.readFunctionPrefix = readFunctionPrefix;
        this.quote = quote;
    }

    public static Dialect of(DatabaseDialect dialect) {
        return dialect == DatabaseDialect.POSTGRESQL ? POSTGRESQL : GOOGLE_STANDARD_SQL;
    }

    /** Returns an unquoted identifier as the dialect folds it. */
    public String fold(String identifier) {
        return this == POSTGRESQL ? identifier.toLowerCase(Locale.ROOT) : identifier;
    }

    /** Returns the name that a token stands for, folded unless it was quoted. */
    String name(Token token) {
        return token.kind() == Token.Kind.QUOTED_NAME ? token.text() : fold(token.text());
    }

    public boolean sameName(String a, String b) {
        return this == POSTGRESQL ? a.equals(b) : a.equalsIgnoreCase(b);
    }

    /** Returns the prefix of the names of functions that read a stream. */
    public String readFunctionPrefix() {
        return readFunctionPrefix;
    }

    /** Returns the quote character of identifiers. */
    public char quote() {
        return quote;
    }
}
