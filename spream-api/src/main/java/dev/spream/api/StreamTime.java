package dev.spream.api;

import dev.spream.api.spi.ConfigType;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A configured point in time: RFC 3339, {@code now}, or a duration relative to now such as {@code +10s} or {@code -5m}.
 * Immutable.
 */
public sealed interface StreamTime {
    /** The configuration type of a point in time. */
    ConfigType<StreamTime> TYPE =
            new ConfigType<>("time: 2026-01-31T12:00:00Z, now, +10s or -5m", StreamTime::parse, StreamTime::toString);

    /**
     * The lowest timestamp that Spanner supports.
     *
     * @see <a href="https://cloud.google.com/spanner/docs/reference/standard-sql/data-types#timestamp_type">Spanner:
     *     timestamp type</a>
     */
    Instant MIN = Instant.parse("0001-01-01T00:00:00Z");

    /** The highest timestamp that Spanner supports. */
    Instant MAX = Instant.parse("9999-12-31T23:59:59.999999999Z");

    /** Returns the point in time, relative to the given present. */
    Instant at(Instant now);

    /** A fixed point in time. */
    record Fixed(Instant instant) implements StreamTime {
        @Override
        public Instant at(Instant now) {
            return instant;
        }

        @Override
        public String toString() {
            return instant.toString();
        }
    }

    /** A point in time relative to now. */
    record Relative(Duration distance) implements StreamTime {
        private static final Pattern PATTERN = Pattern.compile("([+-])(.+)");
        private static final ConfigType<Duration> DISTANCE = ConfigType.duration(Duration.ZERO, Duration.ofDays(3_650));

        static StreamTime parse(Matcher matched) {
            Duration distance = DISTANCE.read(matched.group(2));
            return new Relative(matched.group(1).equals("-") ? distance.negated() : distance);
        }

        @Override
        public Instant at(Instant now) {
            return now.plus(distance);
        }

        @Override
        public String toString() {
            return distance.isZero() ? "now" : (distance.isNegative() ? "-" : "+") + DISTANCE.write(distance.abs());
        }
    }

    /**
     * Parses a point in time.
     *
     * @throws IllegalArgumentException if the text is not a point in time that Spanner supports; the message names the
     *     expected form
     */
    static StreamTime parse(String text) {
        if (text.equals("now")) {
            return new Relative(Duration.ZERO);
        }
        Matcher relative = Relative.PATTERN.matcher(text);
        if (relative.matches()) {
            return Relative.parse(relative);
        }
        Instant instant = instant(text);
        if (instant.isBefore(MIN) || instant.isAfter(MAX)) {
            throw new IllegalArgumentException("expected a time from %s to %s".formatted(MIN, MAX));
        }
        return new Fixed(instant);
    }

    private static Instant instant(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("expected a time such as 2026-01-31T12:00:00Z, now, +10s or -5m", e);
        }
    }
}
