package dev.spream.storage.jdbc.rollup;

import java.util.function.ToLongFunction;

/**
 * A column with a total, of type {@code bigint}.
 *
 * @param name a lower-case identifier
 * @param value returns the value of an entry
 */
record TotalColumn<E>(String name, Total total, ToLongFunction<? super E> value) {

    /** The functions whose result does not depend on the order of the values. */
    enum Total {
        SUM("t.%1$s + excluded.%1$s"),
        MIN("least(t.%1$s, excluded.%1$s)"),
        MAX("greatest(t.%1$s, excluded.%1$s)");

        private final String sql;

        Total(String sql) {
            this.sql = sql;
        }

        /** @throws ArithmeticException if a sum does not fit into a {@code bigint} */
        long of(long one, long other) {
            return switch (this) {
                case SUM -> Math.addExact(one, other);
                case MIN -> Math.min(one, other);
                case MAX -> Math.max(one, other);
            };
        }
    }

    String definition() {
        return "\"%s\" bigint NOT NULL".formatted(name);
    }

    /** Returns the assignment that adds a row to the stored one. */
    String update() {
        String quoted = '"' + name + '"';
        return quoted + " = " + total.sql.formatted(quoted);
    }
}
