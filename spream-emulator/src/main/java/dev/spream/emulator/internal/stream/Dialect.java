package dev.spream.emulator.internal.stream;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import java.util.Locale;

/** What the two dialects of Spanner write differently, as far as change streams are concerned. */
enum Dialect {
    GOOGLE_STANDARD_SQL("READ_", '`') {
        @Override
        String fold(String identifier) {
            return identifier;
        }

        @Override
        boolean sameName(String a, String b) {
            return a.equalsIgnoreCase(b);
        }
    },
    POSTGRESQL("read_json_", '"') {
        @Override
        String fold(String identifier) {
            return identifier.toLowerCase(Locale.ROOT);
        }

        @Override
        boolean sameName(String a, String b) {
            return a.equals(b);
        }
    };

    private final String readFunctionPrefix;
    private final char quote;

    Dialect(String readFunctionPrefix, char quote) {
        this.readFunctionPrefix = readFunctionPrefix;
        this.quote = quote;
    }

    static Dialect of(DatabaseDialect dialect) {
        return dialect == DatabaseDialect.POSTGRESQL ? POSTGRESQL : GOOGLE_STANDARD_SQL;
    }

    /** What an identifier that is not quoted stands for. */
    abstract String fold(String identifier);

    abstract boolean sameName(String a, String b);

    /** What the names of functions that read a stream begin with. */
    String readFunctionPrefix() {
        return readFunctionPrefix;
    }

    /** What encloses an identifier that could be taken for something else. */
    char quote() {
        return quote;
    }
}
