package dev.spream.core.subscription.transaction;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionGap;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

/** The periods in which changes of some partition were not read, and that was accepted. Not safe for use by many threads. */
final class AcceptedGaps {
    private final TreeMap<Instant, Instant> periods = new TreeMap<>(); // end by start; none touches another

    /** Adds the gaps of the stored partitions. */
    void observe(Lineage lineage) {
        lineage.partitions().forEach(partition -> partition.gaps().forEach(this::add));
    }

    void add(PartitionGap gap) {
        Instant from = gap.from();
        Instant to = gap.to();
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
