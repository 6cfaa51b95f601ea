package dev.spream.core.subscription;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The number of occurrences of each {@link SimulationEvent}. Confined to one thread. */
final class SimulationTally {
    private final long[] counts = new long[SimulationEvent.values().length];

    void count(SimulationEvent event) {
        counts[event.ordinal()]++;
    }

    void add(SimulationTally other) {
        Arrays.setAll(counts, i -> counts[i] + other.counts[i]);
    }

    long of(SimulationEvent event) {
        return counts[event.ordinal()];
    }

    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        for (SimulationEvent event : SimulationEvent.values()) {
            parts.add("%s %d".formatted(event.name().toLowerCase(Locale.ROOT).replace('_', ' '), of(event)));
        }
        return String.join(", ", parts);
    }
}
