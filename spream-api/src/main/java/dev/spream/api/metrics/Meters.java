package dev.spream.api.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Registers meters with common tags. */
record Meters(MeterRegistry registry, Tags tags) {
    static final String SECONDS = "seconds";

    /** The histogram buckets, equal in all processes so that histograms can be aggregated. */
    private static final Duration[] BUCKETS = LongStream.of(
                    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 60_000)
            .mapToObj(Duration::ofMillis)
            .toArray(Duration[]::new);

    private static final double NANOS = 1e9;

    /** @param more a further tag and its value, or nothing */
    Counter counter(String name, String meaning, String... more) {
        return Counter.builder(name).description(meaning).tags(tags.and(more)).register(registry);
    }

    /** Registers a counter for each value of a tag. */
    Tagged counters(String name, String meaning, String tag, List<String> values) {
        return new Tagged(values.stream()
                .collect(Collectors.toUnmodifiableMap(value -> value, value -> counter(name, meaning, tag, value))));
    }

    /** The counters of one name, by the value of their tag. */
    record Tagged(Map<String, Counter> byValue) {
        Counter of(Enum<?> constant) {
            return of(tag(constant));
        }

        Counter of(String value) {
            Counter counter = byValue.get(value);
            if (counter == null) {
                throw new IllegalArgumentException("the tag has no value '%s'".formatted(value));
            }
            return counter;
        }
    }

    Timer timer(String name, String meaning, String... more) {
        return Timer.builder(name)
                .description(meaning)
                .serviceLevelObjectives(BUCKETS)
                .tags(tags.and(more))
                .register(registry);
    }

    Gauge gauge(String name, String meaning, DoubleSupplier value, String... more) {
        return gauge(name, null, meaning, value, more);
    }

    Gauge seconds(String name, String meaning, DoubleSupplier value) {
        return gauge(name, SECONDS, meaning, value);
    }

    private Gauge gauge(String name, @Nullable String unit, String meaning, DoubleSupplier value, String... more) {
        return Gauge.builder(name, value::getAsDouble)
                .description(meaning)
                .baseUnit(unit)
                .tags(tags.and(more))
                .register(registry);
    }

    static String tag(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    static List<String> tags(Enum<?>[] constants) {
        return Arrays.stream(constants).map(Meters::tag).toList();
    }

    /** Returns the duration in seconds; {@code NaN} if unknown. */
    static double seconds(Optional<Duration> duration) {
        return duration.map(known -> known.getSeconds() + known.getNano() / NANOS)
                .orElse(Double.NaN);
    }

    /** Returns the time in seconds since 1970; {@code NaN} if unknown. */
    static double time(Optional<Instant> time) {
        return time.map(known -> known.getEpochSecond() + known.getNano() / NANOS)
                .orElse(Double.NaN);
    }
}
