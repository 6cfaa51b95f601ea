package dev.spream.storage.jdbc.internal;

import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Converts two kinds of time. Times from Spanner are exact: seconds since 1970 as a decimal with nine places. Times of
 * the server's clock are its own timestamps, which have microseconds.
 */
public final class JdbcTimestamps {
    private static final int NANO_DIGITS = 9;

    /** A time after any partition's end that the server can store. */
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59Z");

    private JdbcTimestamps() {}

    public static BigDecimal exact(Instant instant) {
        return BigDecimal.valueOf(instant.getEpochSecond()).add(BigDecimal.valueOf(instant.getNano(), NANO_DIGITS));
    }

    public static BigDecimal exact(Duration duration) {
        return BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), NANO_DIGITS));
    }

    public static Instant instant(BigDecimal exact) {
        BigDecimal[] parts = exact.divideAndRemainder(BigDecimal.ONE);
        return Instant.ofEpochSecond(
                parts[0].longValueExact(), parts[1].movePointRight(NANO_DIGITS).longValueExact());
    }

    public static Duration duration(BigDecimal exact) {
        return Duration.between(Instant.EPOCH, instant(exact));
    }

    public static Instant clock(ResultSet row, String column) throws SQLException {
        return optionalClock(row, column)
                .orElseThrow(() -> new IllegalStateException("column %s is null".formatted(column)));
    }

    /** Returns a {@code timestamptz} of PostgreSQL, or a {@code DATETIME} of MySQL or MariaDB, which is in UTC. */
    public static Optional<Instant> optionalClock(ResultSet row, String column) throws SQLException {
        int index = row.findColumn(column);
        return row.getMetaData().getColumnTypeName(index).equals("timestamptz")
                ? Optional.ofNullable(row.getObject(index, OffsetDateTime.class))
                        .map(OffsetDateTime::toInstant)
                : Optional.ofNullable(row.getObject(index, LocalDateTime.class))
                        .map(time -> time.toInstant(ZoneOffset.UTC));
    }

    /**
     * Returns the earliest microsecond of the server's clock that is not before this time, so that the same times are
     * before both.
     */
    public static OffsetDateTime clockCeiling(Instant moment) {
        if (moment.isAfter(LAST)) {
            return LAST.atOffset(ZoneOffset.UTC);
        }
        Instant micros = moment.truncatedTo(ChronoUnit.MICROS);
        return (micros.equals(moment) ? micros : micros.plus(1, ChronoUnit.MICROS)).atOffset(ZoneOffset.UTC);
    }

    /** Returns a duration as microseconds, rounded up, as added to the server's clock. */
    public static long micros(Duration span) {
        long whole = Math.addExact(Math.multiplyExact(span.getSeconds(), 1_000_000L), span.getNano() / 1_000);
        return span.getNano() % 1_000 == 0 ? whole : whole + 1;
    }
}
