package dev.spream.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** Formats numbers and times for display. */
public final class Figures {
    private Figures() {}

    /** Formats a number as in {@code 1,234}. */
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** Truncates a time to seconds. */
    public static Instant seconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Formats a duration in at most two units. */
    public static String duration(Duration duration) {
        if (duration.compareTo(Duration.ofMinutes(1)) < 0) {
            return String.format(Locale.ROOT, "%.1fs", Math.max(0, duration.toMillis()) / 1_000.0);
        }
        if (duration.toHours() == 0) {
            return "%dm %ds".formatted(duration.toMinutes(), duration.toSecondsPart());
        }
        return duration.toDays() == 0
                ? "%dh %dm".formatted(duration.toHours(), duration.toMinutesPart())
                : "%dd %dh".formatted(duration.toDays(), duration.toHoursPart());
    }
}
