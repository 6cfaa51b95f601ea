package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.FaultRates;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Decides which fault each query has by itself. A decision depends on the seed, the partition, and the number of
 * earlier queries of it, and so does not depend on the order of threads. Not safe for use by several threads.
 */
final class FaultDraw {
    private final FaultRates rates;
    private final long seed;
    private final Map<String, Integer> queries = new HashMap<>();

    FaultDraw(FaultRates rates, long seed) {
        this.rates = rates;
        this.seed = seed;
    }

    /** Returns the fault of a partition's next query, if any; the initial query has an empty token. */
    Optional<Fault> next(String token, boolean endIsProof) {
        if (rates.byKind().isEmpty()) {
            return Optional.empty();
        }
        long nth = queries.merge(token, 1, Integer::sum);
        SplittableRandom random = new SplittableRandom(seed ^ ((long) token.hashCode() << Integer.SIZE) ^ nth);
        int rows = random.nextInt(rates.withinRows() + 1);
        return kind(random.nextDouble())
                .filter(kind -> !(endIsProof && kind == Fault.Kind.CLEAN_END))
                .map(kind -> Fault.of(kind).afterRows(kind == Fault.Kind.BETWEEN_CHILD_RECORDS ? 0 : rows));
    }

    private Optional<Fault.Kind> kind(double drawn) {
        double rest = drawn;
        for (Map.Entry<Fault.Kind, Double> each : rates.byKind().entrySet()) {
            rest -= each.getValue();
            if (rest < 0) {
                return Optional.of(each.getKey());
            }
        }
        return Optional.empty();
    }
}
