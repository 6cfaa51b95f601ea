package dev.spream.core;

import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;

/** Durations as text for messages and logs: "329 ms", "2.5 s", "1 min 30 s", "3 d 4 h". */
public final class DurationText {
    private static final MathContext THREE_DIGITS = new MathContext(3);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private DurationText() {}

    /** Durations below a minute have three digits; longer ones their two largest units, truncated. */
    public static String of(Duration duration) {
        if (duration.isZero()) {
            return "0 s";
        }
        if (duration.isNegative()) {
            return "-" + of(duration.negated());
        }
        if (duration.compareTo(MINUTE) >= 0) {
            return longer(duration);
        }
        Duration rounded = Duration.ofNanos(
                BigDecimal.valueOf(duration.toNanos()).round(THREE_DIGITS).longValueExact());
        if (rounded.compareTo(MINUTE) >= 0) {
            return longer(rounded);
        }
        return rounded.compareTo(SECOND) < 0 ? decimal(rounded, 6) + " ms" : decimal(rounded, 9) + " s";
    }

    private static String decimal(Duration duration, int places) {
        return BigDecimal.valueOf(duration.toNanos(), places)
                .stripTrailingZeros()
                .toPlainString();
    }

    private static String longer(Duration duration) {
        if (duration.toHours() == 0) {
            return units(duration.toMinutes(), "min", duration.toSecondsPart(), "s");
        }
        return duration.toDays() == 0
                ? units(duration.toHours(), "h", duration.toMinutesPart(), "min")
                : units(duration.toDays(), "d", duration.toHoursPart(), "h");
    }

    private static String units(long large, String largeUnit, int small, String smallUnit) {
        return large + " " + largeUnit + (small == 0 ? "" : " " + small + " " + smallUnit);
    }
}
