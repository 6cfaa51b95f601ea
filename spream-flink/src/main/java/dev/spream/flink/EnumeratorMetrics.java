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
    private static final long UNDEFINED = -1; // as in Flink

    private final InstantSource clock;
    private volatile SplitAssigner.Counts counts = SplitAssigner.Counts.NONE;
    private volatile long reading;
    private volatile long readToEnd;
    private volatile @Nullable Instant lowWatermark;

    EnumeratorMetrics(InstantSource clock) {
        this.clock = clock;
    }

    void register(SplitEnumeratorMetricGroup group) {
        group.setUnassignedSplitsGauge(() -> (long) counts.unassigned());
        gauge(group, "partitionsReading", () -> reading);
        gauge(group, "partitionsReadToEnd", () -> readToEnd);
        gauge(group, "partitionsWaitingForCheckpoint", () -> (long) counts.waitingForCheckpoint());
        gauge(group, "partitionsWaitingForParents", () -> (long) counts.waitingForParents());
        gauge(group, "partitionsWaitingForSources", () -> (long) counts.waitingForSources());
        gauge(group, "partitionsWaitingForReader", () -> (long) counts.tooMany());
        gauge(group, "oldestUnassignedLag", () -> lag(counts.oldestUnassigned().orElse(null), 0));
        gauge(group, "lowWatermarkLag", () -> lag(lowWatermark, UNDEFINED));
    }

    private static void gauge(SplitEnumeratorMetricGroup group, String name, Gauge<Long> value) {
        group.gauge(name, value);
    }

    /** Returns the time from that watermark to now in milliseconds; the other value if there is none. */
    private long lag(@Nullable Instant watermark, long otherwise) {
        return watermark == null
                ? otherwise
                : Math.max(0, Duration.between(watermark, clock.instant()).toMillis());
    }

    void counted(SplitAssigner.Counts latest, long held, long ended) {
        counts = latest;
        reading = held - ended;
        readToEnd = ended;
    }

    void lowWatermark(Optional<Instant> low) {
        lowWatermark = low.orElse(null);
    }
}
