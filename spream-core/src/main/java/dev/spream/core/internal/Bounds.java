package dev.spream.core.internal;

import dev.spream.core.DurationText;
import java.time.Duration;

/** Bounds of values; messages name the field, its value and the bounds. */
public final class Bounds {
    private Bounds() {}

    public static void requireBetween(String field, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("%s is %d, must be %d to %d".formatted(field, value, min, max));
        }
    }

    public static Duration clamp(Duration value, Duration min, Duration max) {
        return value.compareTo(min) < 0 ? min : value.compareTo(max) > 0 ? max : value;
    }

    public static void requireBetween(String field, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException("%s is %s, must be %s to %s"
                    .formatted(field, DurationText.of(value), DurationText.of(min), DurationText.of(max)));
        }
    }
}
