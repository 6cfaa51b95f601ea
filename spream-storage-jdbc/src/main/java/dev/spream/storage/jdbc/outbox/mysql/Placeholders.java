package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.storage.jdbc.internal.Parameters;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Collections;

/** Lists of parameters, which take the place of arrays. */
final class Placeholders {
    private Placeholders() {}

    /** Returns the statement, with a parameter for each value in place of {@code (*)}. */
    static String in(String sql, Collection<?> values) {
        return sql.replace("(*)", "(" + repeat("?", values.size()) + ")");
    }

    /** Returns the text so many times, separated by commas. */
    static String repeat(String text, int times) {
        return String.join(", ", Collections.nCopies(times, text));
    }

    static Parameters numbers(Parameters p, Collection<Long> values) throws SQLException {
        for (long value : values) {
            p.number(value);
        }
        return p;
    }

    static Parameters integers(Parameters p, Collection<Integer> values) throws SQLException {
        for (int value : values) {
            p.number(value);
        }
        return p;
    }

    static Parameters texts(Parameters p, Collection<String> values) throws SQLException {
        for (String value : values) {
            p.text(value);
        }
        return p;
    }
}
