package dev.spream.cli.output;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.JsonObject;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds the members of a JSON object. Times are RFC 3339, durations seconds; missing values are absent. Confined to
 * one thread.
 */
public final class Members {
    private static final int DECIMALS = 3;

    private final Map<String, @Nullable Object> members = new LinkedHashMap<>();

    /**
     * Adds a member; nothing for an empty {@link Optional}.
     *
     * @param value a value of JSON, a time, a duration, an enum constant, which is written in lower case, a token,
     *     other members, a list or an optional of these
     */
    public Members put(String name, @Nullable Object value) {
        if (value instanceof Optional<?> known) {
            known.ifPresent(present -> put(name, present));
        } else {
            members.put(name, json(value));
        }
        return this;
    }

    /** Adds an array with a value for each item. */
    public <T> Members list(String name, Collection<T> items, Function<? super T, ?> value) {
        return put(name, items.stream().map(value).toList());
    }

    private static @Nullable Object json(@Nullable Object value) {
        return switch (value) {
            case null -> null;
            case Instant time -> time.toString();
            case Duration duration -> BigDecimal.valueOf(duration.toMillis(), DECIMALS);
            case Enum<?> constant -> constant.name().toLowerCase(Locale.ROOT);
            case PartitionToken token -> token.value();
            case Members others -> others.members;
            case List<?> list -> list.stream().map(Members::json).toList();
            default -> value;
        };
    }

    @Override
    public String toString() {
        return JsonObject.of(members).toString();
    }
}
