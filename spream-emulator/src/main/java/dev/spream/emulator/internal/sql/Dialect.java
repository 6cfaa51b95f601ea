package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import java.util.Locale;
import java.util.stream.Stream;

/** The two dialects of Spanner, with the differences in the syntax of their change streams. */
public enum Dialect {
    GOOGLE_STANDARD_SQL("READ_", "READ_", '`'),
    POSTGRESQL("read_json_", "read_proto_bytes_", '"');

    private final String immutablePrefix;
    private final String mutablePrefix;
    private final char quote;

    Dialect(String immutablePrefix, String mutablePrefix, char quote) {
        this.immutablePrefix = immutablePrefix;
        this.mutablePrefix = mutablePrefix;
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
    public String name(Token token) {
        return token.kind() == Token.Kind.QUOTED_NAME ? token.text() : fold(token.text());
    }

    public boolean sameName(String a, String b) {
        return this == POSTGRESQL ? a.equals(b) : a.equalsIgnoreCase(b);
    }

    /** Returns the name of the function that reads a stream. */
    public String readFunction(String stream, PartitionMode mode) {
        return (mode == PartitionMode.MUTABLE_KEY_RANGE ? mutablePrefix : immutablePrefix) + stream;
    }

    /** Returns whether a name begins as those of functions that read streams do. */
    public boolean isReadFunction(String name) {
        return Stream.of(immutablePrefix, mutablePrefix)
                .anyMatch(prefix -> name.regionMatches(true, 0, prefix, 0, prefix.length()));
    }

    /** Returns the quote character of identifiers. */
    public char quote() {
        return quote;
    }
}
