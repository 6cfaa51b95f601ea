package dev.spream.emulator.control;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Fault injection into the queries of one change stream of the emulator, for tests that choose the moment of a failure.
 * Safe for use by many threads, also while the emulator's {@link FaultRates} inject faults: a fault that is injected by
 * call replaces one that a rate would have injected.
 */
public interface FaultControl {

    /**
     * Injects the fault into the next query that it can affect. Faults that wait for queries are assigned in the order
     * of the calls.
     */
    void next(Fault fault);

    /**
     * Injects the fault into all running queries that it can affect; its rows count from now on, so that a fault after
     * 0 rows takes effect at once. It does not wait for later queries.
     *
     * @return the number of affected queries
     */
    int running(Fault fault);

    /** Returns the number of faults that wait for a query or, in a query, have not taken effect yet. */
    int pending();

    /** Clears the faults that have not taken effect yet, and lets stalled queries continue. */
    void clear();

    /** Returns how often each fault has taken effect since the stream was created, injected by call or by a rate. */
    Counts counts();

    /**
     * The number of faults so far, by kind.
     *
     * @param byKind contains only kinds with at least one fault
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

        /** Returns a text such as {@code 12 (unavailable 7, stall 5)}. */
        @Override
        public String toString() {
            String kinds = byKind.entrySet().stream()
                    .map(entry -> entry.getKey() + " " + entry.getValue())
                    .collect(Collectors.joining(", "));
            return kinds.isEmpty() ? "0" : total() + " (" + kinds + ")";
        }
    }
}
