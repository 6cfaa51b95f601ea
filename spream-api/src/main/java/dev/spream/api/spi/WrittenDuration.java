package dev.spream.api.spi;

import dev.spream.core.DurationText;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as configurations and flags write them: {@code 500ms}, {@code 1.5s}, or several parts as Go writes them,
 * {@code 1m30s}. Whole milliseconds.
 */
final class WrittenDuration {
    private static final String PART = "(\\d{1,12}(?:\\.\\d{1,9})?)(ms|s|m|h|d)";
    private static final Pattern FORM = Pattern.compile("(?:%s){1,8}".formatted(PART));
    private static final Pattern PARTS = Pattern.compile(PART);
    private static final int NANOS_PER_MILLI = 1_000_000;
    private static final BigDecimal MAX_MILLIS = BigDecimal.valueOf(Long.MAX_VALUE);

    private WrittenDuration() {}

    /** Returns the duration; empty if the text has another form, or has a fraction of a millisecond. */
    static Optional<Duration> parse(String text) {
        if (!FORM.matcher(text).matches()) {
            return Optional.empty();
        }
        BigDecimal millis = BigDecimal.ZERO;
        for (Matcher part = PARTS.matcher(text); part.find(); ) {
            millis = millis.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(millis(part.group(2)))));
        }
        boolean whole = millis.stripTrailingZeros().scale() <= 0;
        return whole ? Optional.of(Duration.ofMillis(millis.min(MAX_MILLIS).longValueExact())) : Optional.empty();
    }

    private static long millis(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> Duration.ofMinutes(1).toMillis();
            case "h" -> Duration.ofHours(1).toMillis();
            default -> Duration.ofDays(1).toMillis();
        };
    }

    /** Returns the shortest text of one part. */
    static String text(Duration duration) {
        if (duration.isNegative() || duration.toNanosPart() % NANOS_PER_MILLI != 0) {
            throw new IllegalArgumentException(
                    "%s is not a non-negative number of whole milliseconds".formatted(DurationText.of(duration)));
        }
        if (duration.toMillisPart() != 0) {
            return duration.toMillis() + "ms";
        }
        if (duration.toSecondsPart() != 0 || duration.isZero()) {
            return duration.toSeconds() + "s";
        }
        if (duration.toMinutesPart() != 0) {
            return duration.toMinutes() + "m";
        }
        return duration.toHoursPart() != 0 ? duration.toHours() + "h" : duration.toDays() + "d";
    }
}
