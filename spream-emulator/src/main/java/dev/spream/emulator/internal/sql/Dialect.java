package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import java.util.Locale;

/** The two dialects of Spanner, as far as their change streams are written differently. */
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

    /** What an identifier that is not quoted stands for. */
    public String fold(String identifier) {
        return this == POSTGRESQL ? identifier.toLowerCase(Locale.ROOT) : identifier;
    }

    /** The name that a token is, folded unless it was quoted. */
    String name(Token token) {
        return token.kind() == Token.Kind.QUOTED_NAME ? token.text() : fold(token.text());
    }

    public boolean sameName(String a, String b) {
        return this == POSTGRESQL ? a.equals(b) : a.equalsIgnoreCase(b);
    }

    /** What the names of functions that read a stream begin with. */
    public String readFunctionPrefix() {
        return readFunctionPrefix;
    }

    /** What encloses an identifier that could be taken for something else. */
    public char quote() {
        return quote;
    }
}
