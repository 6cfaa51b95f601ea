package dev.spream.flink;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;
import org.jspecify.annotations.Nullable;

/** The gauges of the enumerator. Written by its thread, read by reporters. */
final class EnumeratorMetrics {
    private final InstantSource clock;
    private volatile long unassigned;
    private volatile long reading;
    private volatile long readToEnd;
    private volatile long waitingForCheckpoint;
    private volatile @Nullable Instant lowWatermark;

    EnumeratorMetrics(InstantSource clock) {
        this.clock = clock;
    }

    void register(SplitEnumeratorMetricGroup group) {
        group.setUnassignedSplitsGauge(() -> unassigned);
        group.gauge("partitionsReading", (Gauge<Long>) () -> reading);
        group.gauge("partitionsReadToEnd", (Gauge<Long>) () -> readToEnd);
        group.gauge("partitionsWaitingForCheckpoint", (Gauge<Long>) () -> waitingForCheckpoint);
        group.gauge("lowWatermarkLag", (Gauge<Long>) this::lag);
    }

    /** Returns the time from the low watermark to now in milliseconds; 0 if nothing is left to read. */
    private long lag() {
        Instant low = lowWatermark;
        return low == null
                ? 0
                : Math.max(0, Duration.between(low, clock.instant()).toMillis());
    }

    void counted(SplitAssigner.Counts counts, long held, long ended) {
        unassigned = counts.unassigned();
        waitingForCheckpoint = counts.waitingForCheckpoint();
        reading = held - ended;
        readToEnd = ended;
    }

    void lowWatermark(Optional<Instant> low) {
        lowWatermark = low.orElse(null);
    }
}
