package dev.spream.storage.jdbc.table;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A type of the columns of a {@link TableProjection}.
 *
 * @param <V> its values in Java, whose {@code toString} PostgreSQL reads
 */
public final class SqlType<V> {
    /** Texts, in the order of their bytes, whatever the database's collation. */
    public static final SqlType<String> TEXT = new SqlType<>("text", null);

    public static final SqlType<UUID> UUID = new SqlType<>("uuid", null);
    public static final SqlType<Boolean> BOOLEAN = new SqlType<>("boolean", null);
    public static final SqlType<Long> BIGINT = new SqlType<>("bigint", Comparator.<Long>naturalOrder());
    public static final SqlType<BigDecimal> NUMERIC = new SqlType<>("numeric", Comparator.<BigDecimal>naturalOrder());
    public static final SqlType<LocalDate> DATE =
            new SqlType<>("date", Comparator.comparingLong(LocalDate::toEpochDay));

    /** Times, which PostgreSQL rounds to microseconds. */
    public static final SqlType<Instant> TIMESTAMPTZ = new SqlType<>("timestamptz", Comparator.<Instant>naturalOrder());

    private final String sqlName;

    /** The order of values, the same as the database's; null where Java has another one. */
    private final @Nullable Comparator<V> order;

    private SqlType(String sqlName, @Nullable Comparator<V> order) {
        this.sqlName = sqlName;
        this.order = order;
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
