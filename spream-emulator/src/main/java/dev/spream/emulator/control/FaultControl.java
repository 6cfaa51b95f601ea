package dev.spream.emulator.control;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The faults of the queries of one of the emulator's change streams, for tests that break them at a moment of their
 * choice. Safe for use by many threads, also while faults come by themselves at the emulator's {@link FaultRates}: a
 * fault by call takes the place of one that would have come by itself.
 */
public interface FaultControl {

    /** Strikes the next query that the fault can strike. Faults that wait for queries go to them in the order of the calls. */
    void next(Fault fault);

    /**
     * Strikes all queries that are running and that the fault can strike; its rows count from now on, so that one after 0
     * rows strikes at once. None waits for later queries.
     *
     * @return how many queries there are
     */
    int running(Fault fault);

    /** How many faults wait for a query, or for the moment at which they strike theirs. */
    int pending();

    /** Clears the faults that have not struck yet, and lets stalled queries continue. */
    void clear();

    /** How often which fault has struck since the stream was created, by call or by itself. */
    Counts counts();

    /**
     * The faults so far, by kind.
     *
     * @param byKind holds the kinds that have
     */
    record Counts(Map<Fault.Kind, Integer> byKind) {
        public Counts {
            EnumMap<Fault.Kind, Integer> copy = new EnumMap<>(Fault.Kind.class);
            copy.putAll(byKind);
            byKind = Collections.unmodifiableMap(copy);
        }

        public int of(Fault.Kind kind) {
            return byKind.getOrDefault(kind, 0);
        }

        public int total() {
            return byKind.values().stream().mapToInt(Integer::intValue).sum();
        }

        /** As in {@code 12 (unavailable 7, stall 5)}. */
        @Override
        public String toString() {
            String kinds = byKind.entrySet().stream()
                    .map(entry -> entry.getKey() + " " + entry.getValue())
                    .collect(Collectors.joining(", "));
            return kinds.isEmpty() ? "0" : total() + " (" + kinds + ")";
        }
    }
}
