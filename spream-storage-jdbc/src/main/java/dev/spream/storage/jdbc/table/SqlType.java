package dev.spream.storage.jdbc.table;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A type of the columns of a {@link TableProjection}.
 *
 * @param <V> its values in Java, whose {@code toString} PostgreSQL reads
 */
public final class SqlType<V> {
    /** Texts, in the order of their bytes, whatever the database's collation. */
    public static final SqlType<String> TEXT = new SqlType<>("text", null, value -> value);

    public static final SqlType<UUID> UUID = new SqlType<>("uuid", null, value -> value);
    public static final SqlType<Boolean> BOOLEAN = new SqlType<>("boolean", null, value -> value);
    public static final SqlType<Long> BIGINT = new SqlType<>("bigint", Comparator.<Long>naturalOrder(), value -> value);

    /** Decimal numbers. A key has no zeros at its end: 1.0 and 1.00 are one key. */
    public static final SqlType<BigDecimal> NUMERIC =
            new SqlType<>("numeric", Comparator.<BigDecimal>naturalOrder(), BigDecimal::stripTrailingZeros);

    public static final SqlType<LocalDate> DATE =
            new SqlType<>("date", Comparator.comparingLong(LocalDate::toEpochDay), value -> value);

    /** Times, which PostgreSQL rounds to microseconds; those of keys are cut to microseconds. */
    public static final SqlType<Instant> TIMESTAMPTZ = new SqlType<>(
            "timestamptz", Comparator.<Instant>naturalOrder(), value -> value.truncatedTo(ChronoUnit.MICROS));

    private final String sqlName;

    /** The order of values, the same as the database's; null where Java has another one. */
    private final @Nullable Comparator<V> order;

    /** Returns the one value of all that the database compares as equal. */
    private final UnaryOperator<V> key;

    private SqlType(String sqlName, @Nullable Comparator<V> order, UnaryOperator<V> key) {
        this.sqlName = sqlName;
        this.order = order;
        this.key = key;
    }

    @Nullable
    V key(@Nullable V value) {
        return value == null ? null : key.apply(value);
    }

    @Nullable
    Comparator<V> order() {
        return order;
    }

    String definition() {
        return sqlName.equals("text") ? "text COLLATE \"C\"" : sqlName;
    }

    /** Returns the type's name in SQL. */
    @Override
    public String toString() {
        return sqlName;
    }
}
