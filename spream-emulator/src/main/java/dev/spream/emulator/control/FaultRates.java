package dev.spream.emulator.control;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The rates at which queries of the emulator's change streams go wrong by themselves, only with faults after which a
 * reader that queries again loses nothing. Which queries are struck, by what, and after how many rows follows from the
 * emulator's seed, the partition, and how many queries of it came before, independent of other activity.
 *
 * <p>Two faults keep away from where no reader could help itself, or could only be slow: a query that was given an end does
 * not end cleanly before it, since two such ends prove that all was read, and none stalls before its first row.
 *
 * @param byKind the share of the queries that are struck by each kind
 * @param withinRows a fault strikes after that many rows at most
 */
public record FaultRates(Map<Fault.Kind, Double> byKind, int withinRows) {
    /** The largest share of the queries that may be struck: a reader has to get on. */
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
                    "faults may strike a share of " + MAX_SHARE + " of the queries at most, got " + total);
        }
        if (withinRows < 1) {
            throw new IllegalArgumentException("faults strike within 1 row or more, got " + withinRows);
        }
        byKind = Collections.unmodifiableMap(copy);
    }

    private static void check(Fault.Kind kind, double share) {
        if (!(share >= 0)) {
            throw new IllegalArgumentException("the share of queries that " + kind + " strikes is negative: " + share);
        }
        if (!kind.isHarmless() && share > 0) {
            throw new IllegalArgumentException(
                    kind + " is final for a reader: inject it by call, it does not come at a rate");
        }
    }

    /** Queries go wrong only by call. */
    public static FaultRates none() {
        return new FaultRates(Map.of(), WITHIN_ROWS);
    }

    /** That share of the queries is struck, each kind of fault as often as the others. */
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

    /** The same, with another share of the queries struck by that kind. */
    public FaultRates with(Fault.Kind kind, double share) {
        EnumMap<Fault.Kind, Double> other = new EnumMap<>(Fault.Kind.class);
        other.putAll(byKind);
        other.put(kind, share);
        return new FaultRates(other, withinRows);
    }

    /** The same, sooner or later. */
    public FaultRates withinRows(int rows) {
        return new FaultRates(byKind, rows);
    }
}
