package dev.spream.cli.http;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The members of a JSON object in the making. Times are RFC 3339, durations seconds; what is not known is absent. Confined to
 * one thread.
 */
final class Members {
    private static final int DECIMALS = 3;

    private final Map<String, @Nullable Object> members = new LinkedHashMap<>();

    /** Adds a member; an empty {@link Optional} adds none. */
    Members put(String name, Object value) {
        Object known = value instanceof Optional<?> optional ? optional.orElse(null) : value;
        if (known != null) {
            members.put(name, json(known));
        }
        return this;
    }

    private static Object json(Object value) {
        return switch (value) {
            case Instant time -> time.toString();
            case Duration duration -> seconds(duration);
            case Double number -> BigDecimal.valueOf(number).setScale(DECIMALS, RoundingMode.HALF_UP);
            default -> value;
        };
    }

    private static BigDecimal seconds(Duration duration) {
        return BigDecimal.valueOf(duration.toMillis(), DECIMALS);
    }

    /** How far a point in time is behind another; zero if it is not. */
    static Duration behind(Instant point, Instant now) {
        return point.isBefore(now) ? Duration.between(point, now) : Duration.ZERO;
    }

    Map<String, @Nullable Object> map() {
        return members;
    }
}
