package dev.spream.cli;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** A point in time as users write it: RFC 3339, {@code now}, or a duration from now such as {@code +10s} or {@code -5m}. */
sealed interface TimeArgument {
    Pattern RELATIVE = Pattern.compile("([+-])(.+)");

    /** The point in time, if it is now that. */
    Instant at(Instant now);

    record Fixed(Instant instant) implements TimeArgument {
        @Override
        public Instant at(Instant now) {
            return instant;
        }
    }

    record Relative(Duration distance) implements TimeArgument {
        @Override
        public Instant at(Instant now) {
            return now.plus(distance);
        }
    }

    static TimeArgument parse(String text) {
        if (text.equals("now")) {
            return new Relative(Duration.ZERO);
        }
        Matcher relative = RELATIVE.matcher(text);
        if (relative.matches()) {
            Duration distance = DurationArgument.parse(relative.group(2));
            return new Relative(relative.group(1).equals("-") ? distance.negated() : distance);
        }
        try {
            return new Fixed(OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeParseException e) {
            throw new TypeConversionException(
                    "'%s' is not a time: write 2026-01-31T12:00:00Z, now, +10s or -5m".formatted(text));
        }
    }
}
