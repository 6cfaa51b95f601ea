package dev.spream.emulator.control;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The rates at which queries of the emulator's change streams fail by themselves, restricted to faults after which a
 * reader that queries again loses nothing. Which queries fail, with which fault, and after how many rows depends on the
 * emulator's seed, the partition, and the number of earlier queries of the partition, and on no other activity.
 *
 * <p>Two faults are not injected where a reader could not recover, or only slowly: a query with an end timestamp does
 * not end cleanly before it, since two such ends prove that everything was read, and no query stalls before its first
 * row. With mutable key ranges, where every query has an end timestamp, only a query that begins after its end
 * timestamp does not end cleanly before it.
 *
 * @param byKind the share of the queries with each kind of fault
 * @param withinRows the highest number of rows before a fault
 */
public record FaultRates(Map<Fault.Kind, Double> byKind, int withinRows) {
    /** The largest share of the queries that may fail; a reader has to make progress. */
    public static final double MAX_SHARE = 0.9;

    private static final int WITHIN_ROWS = 20;
    private static final double ROUNDING = 1e-9;

    public FaultRates {
        EnumMap<Fault.Kind, Double> copy = new EnumMap<>(Fault.Kind.class);
        copy.putAll(byKind);
        copy.forEach(FaultRates::check);
        double total = copy.values().stream().mapToDouble(Double::doubleValue).sum();
        if (total > MAX_SHARE + ROUNDING) {
            throw new IllegalArgumentException(
                    "the shares of queries with faults must not exceed " + MAX_SHARE + " in sum, got " + total);
        }
        if (withinRows < 1) {
            throw new IllegalArgumentException("withinRows must be at least 1, got " + withinRows);
        }
        byKind = Collections.unmodifiableMap(copy);
    }

    private static void check(Fault.Kind kind, double share) {
        if (!(share >= 0)) {
            throw new IllegalArgumentException(
                    "the share of queries with fault " + kind + " must not be negative, got " + share);
        }
        if (!kind.isHarmless() && share > 0) {
            throw new IllegalArgumentException(kind + " is not retryable and cannot have a rate; inject it by call");
        }
    }

    /** Returns rates without faults: queries fail only by call. */
    public static FaultRates none() {
        return new FaultRates(Map.of(), WITHIN_ROWS);
    }

    /** Returns rates with the given share of failing queries, with all kinds of faults equally likely. */
    public static FaultRates share(double share) {
        List<Fault.Kind> kinds = Arrays.stream(Fault.Kind.values())
                .filter(Fault.Kind::isHarmless)
                .toList();
        FaultRates rates = none();
        for (Fault.Kind kind : kinds) {
            rates = rates.with(kind, share / kinds.size());
        }
        return rates;
    }

    /** Returns these rates with another share of queries for one kind of fault. */
    public FaultRates with(Fault.Kind kind, double share) {
        EnumMap<Fault.Kind, Double> other = new EnumMap<>(Fault.Kind.class);
        other.putAll(byKind);
        other.put(kind, share);
        return new FaultRates(other, withinRows);
    }

    /** Returns these rates with another bound of the rows before a fault. */
    public FaultRates withinRows(int rows) {
        return new FaultRates(byKind, rows);
    }
}
