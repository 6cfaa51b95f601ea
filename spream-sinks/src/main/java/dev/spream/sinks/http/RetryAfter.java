package dev.spream.sinks.http;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The time after which a server asks a client to retry.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#field.retry-after">RFC 9110: Retry-After</a>
 */
final class RetryAfter {
    /** The maximum. A larger value of a server is reduced to it: by mistake, it could hold up a key for days. */
    static final Duration MAX = Duration.ofHours(1);

    private static final Pattern SECONDS = Pattern.compile("0*(\\d+)");
    private static final int MAX_DIGITS = 9;
    private static final int YEARS_AHEAD =
            50; // RFC 9110, 5.6.7: two-digit years that seem to be further ahead are in the past

    private RetryAfter() {}

    /** Returns the time to wait, from now on; empty if there is no such header, or none in a form of the RFC. */
    static Optional<Duration> of(HttpHeaders headers, Instant now) {
        return headers.firstValue("Retry-After").flatMap(header -> read(header, now));
    }

    /** Returns the time to wait, from now on; empty if the header is not in a form of the RFC. */
    static Optional<Duration> read(String header, Instant now) {
        String text = header.strip();
        Matcher seconds = SECONDS.matcher(text);
        if (seconds.matches()) {
            String digits = seconds.group(1);
            return Optional.of(
                    digits.length() > MAX_DIGITS ? MAX : bounded(Duration.ofSeconds(Long.parseLong(digits))));
        }
        return date(text, now).map(at -> bounded(Duration.between(now, at)));
    }

    /**
     * Parses the forms of a date that a recipient must accept: the current one, that of RFC 850, and that of C's
     * asctime.
     */
    private static Optional<Instant> date(String text, Instant now) {
        return Stream.of(DateTimeFormatter.RFC_1123_DATE_TIME, rfc850(now), asctime())
                .flatMap(form -> date(text, form).stream())
                .findFirst();
    }

    private static Optional<Instant> date(String text, DateTimeFormatter form) {
        try {
            return Optional.of(form.parse(text, Instant::from));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    private static DateTimeFormatter rfc850(Instant now) {
        int firstYear = now.atOffset(ZoneOffset.UTC).getYear() + YEARS_AHEAD - 99;
        return new DateTimeFormatterBuilder()
                .appendPattern("EEEE, dd-MMM-")
                .appendValueReduced(ChronoField.YEAR, 2, 2, firstYear)
                .appendPattern(" HH:mm:ss 'GMT'")
                .toFormatter(Locale.ENGLISH)
                .withZone(ZoneOffset.UTC);
    }

    private static DateTimeFormatter asctime() {
        return DateTimeFormatter.ofPattern("EEE MMM ppd HH:mm:ss uuuu", Locale.ENGLISH)
                .withZone(ZoneOffset.UTC);
    }

    private static Duration bounded(Duration delay) {
        if (delay.isNegative()) {
            return Duration.ZERO;
        }
        return delay.compareTo(MAX) < 0 ? delay : MAX;
    }
}
