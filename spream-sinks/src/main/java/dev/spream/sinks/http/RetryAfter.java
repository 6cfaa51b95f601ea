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
 * The time after which a server asks a client to come back.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#field.retry-after">RFC 9110: Retry-After</a>
 */
final class RetryAfter {
    /** A server that wants more is asked again sooner: its mistake would hold up a key for days. */
    static final Duration MAX = Duration.ofHours(1);

    private static final Pattern SECONDS = Pattern.compile("0*(\\d+)");
    private static final int MAX_DIGITS = 9;
    private static final int YEARS_AHEAD =
            50; // RFC 9110, 5.6.7: two digits that seem to be further ahead are in the past

    private RetryAfter() {}

    /** How long to wait, from now on; empty if no such header is among these, or it is none that the RFC knows. */
    static Optional<Duration> of(HttpHeaders headers, Instant now) {
        return headers.firstValue("Retry-After").flatMap(header -> read(header, now));
    }

    /** How long to wait, from now on; empty if the header is none that the RFC knows. */
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

    /** The forms of a date that a recipient has to take: the one of today, that of RFC 850, and that of C's asctime. */
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
