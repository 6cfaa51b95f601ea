package dev.spream.api.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** The counters of a subscription, all of them registered from the beginning. Safe for use by many threads. */
final class Counters {
    private static final String NO_TAG = "";

    private final Map<Count, Map<String, Counter>> counters =
            new EnumMap<>(Count.class); // not changed after construction

    Counters(MeterRegistry registry, Tags tags) {
        for (Count count : Count.values()) {
            Map<String, Counter> byValue = new HashMap<>();
            if (count.tagValues().isEmpty()) {
                byValue.put(NO_TAG, count.register(registry, tags));
            }
            count.tagValues().forEach(value -> byValue.put(value, count.register(registry, tags, value)));
            counters.put(count, byValue);
        }
    }

    void increment(Count count) {
        increment(count, NO_TAG);
    }

    void increment(Count count, String value) {
        Counter counter = counters.getOrDefault(count, Map.of()).get(value);
        if (counter == null) {
            throw new IllegalArgumentException("%s has no value '%s'".formatted(count, value));
        }
        counter.increment();
    }
}
