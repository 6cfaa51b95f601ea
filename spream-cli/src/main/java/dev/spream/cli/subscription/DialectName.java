package dev.spream.cli.subscription;

import com.google.cloud.spanner.Dialect;
import java.util.Locale;

/** The dialects under the names that users know. */
enum DialectName {
    GOOGLESQL(Dialect.GOOGLE_STANDARD_SQL),
    POSTGRESQL(Dialect.POSTGRESQL);

    private final Dialect dialect;

    DialectName(Dialect dialect) {
        this.dialect = dialect;
    }

    Dialect dialect() {
        return dialect;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
