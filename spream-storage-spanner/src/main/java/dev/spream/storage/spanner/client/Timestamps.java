package dev.spream.storage.spanner.client;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;

/** Converts between instants and the client's timestamps, exact to the nanosecond. */
public final class Timestamps {
    private static final String PATTERN = "0000-00-00T00:00:00.000000000";
    private static final int SECONDS_LENGTH = 19;
    private static final int NANOS_LENGTH = PATTERN.length();
    private static final long SECONDS_PER_DAY = 86_400;

    private Timestamps() {}

    public static Instant toInstant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    public static Timestamp toTimestamp(Instant instant) {
        return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
    }

    /**
     * Returns the time that the protocol has as text, such as {@code 2026-01-31T23:59:59.123456Z}.
     *
     * @throws java.time.DateTimeException if it is no time in UTC
     */
    public static Instant parse(String text) {
        int length = text.length();
        if (length < SECONDS_LENGTH + 1 || length > NANOS_LENGTH + 1 || !isUtcTime(text)) {
            return Instant.parse(text);
        }
        int nanos = 0;
        if (length > SECONDS_LENGTH + 1) {
            nanos = number(text, SECONDS_LENGTH + 1, length - 1);
            for (int digits = length - 1; digits < NANOS_LENGTH; digits++) {
                nanos *= 10;
            }
        }
        LocalDate day = LocalDate.of(number(text, 0, 4), number(text, 5, 7), number(text, 8, 10));
        int second = LocalTime.of(number(text, 11, 13), number(text, 14, 16), number(text, 17, 19))
                .toSecondOfDay();
        return Instant.ofEpochSecond(day.toEpochDay() * SECONDS_PER_DAY + second, nanos);
    }

    /** Returns whether the text has the digits and separators of the pattern, up to its length. */
    private static boolean isUtcTime(String text) {
        int last = text.length() - 1;
        for (int i = 0; i < last; i++) {
            char expected = PATTERN.charAt(i);
            char c = text.charAt(i);
            if (expected == '0' ? c < '0' || c > '9' : c != expected) {
                return false;
            }
        }
        return text.charAt(last) == 'Z' && text.charAt(last - 1) != '.';
    }

    private static int number(String text, int from, int to) {
        return Integer.parseInt(text, from, to, 10);
    }

    /**
     * Returns Spanner's current time, by which leases are measured. It is queried, because the read timestamps of
     * emulators differ from it.
     *
     * @param context the context of the query
     */
    public static Instant current(ReadContext context) {
        try (ResultSet row = context.executeQuery(Statement.of("SELECT CURRENT_TIMESTAMP"))) {
            row.next();
            return toInstant(row.getTimestamp(0));
        }
    }
}
