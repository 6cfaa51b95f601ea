package dev.spream.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** A duration as users write it: a whole number and a unit, such as {@code 500ms}, {@code 10s}, {@code 5m}, {@code 2h}. */
final class DurationArgument {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private DurationArgument() {}

    static Duration parse(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException("'%s' is not a duration: write 500ms, 10s, 5m or 2h".formatted(text));
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    /** The duration as a user would write it. */
    static String format(Duration duration) {
        if (duration.toMillisPart() != 0) {
            return duration.toMillis() + "ms";
        }
        return duration.toSecondsPart() != 0 || duration.isZero()
                ? duration.toSeconds() + "s"
                : duration.toMinutes() + "m";
    }
}
