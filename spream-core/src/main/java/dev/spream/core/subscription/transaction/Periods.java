package dev.spream.core.subscription.transaction;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** A set of timestamps, as periods with an inclusive start and an exclusive end. Not safe for use by many threads. */
final class Periods {
    private final TreeMap<Instant, Instant> periods = new TreeMap<>(); // end by start; none touches another

    /** Adds a period; one that ends at its start or before is empty. */
    void add(Instant start, Instant end) {
        if (!start.isBefore(end)) {
            return;
        }
        Instant from = start;
        Instant to = end;
        Map.Entry<Instant, Instant> last = periods.floorEntry(to);
        while (last != null && !last.getValue().isBefore(from)) {
            from = last.getKey().isBefore(from) ? last.getKey() : from;
            to = last.getValue().isAfter(to) ? last.getValue() : to;
            periods.remove(last.getKey());
            last = periods.floorEntry(to);
        }
        periods.put(from, to);
    }

    boolean contains(Instant timestamp) {
        Map.Entry<Instant, Instant> last = periods.floorEntry(timestamp);
        return last != null && timestamp.isBefore(last.getValue());
    }
}
