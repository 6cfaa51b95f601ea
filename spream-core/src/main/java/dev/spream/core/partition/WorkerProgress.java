package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Optional;

/**
 * The low watermark of the partitions that one worker owned at a moment.
 *
 * @param lowWatermark the earliest of their watermarks, or an earlier time; empty if it owned none
 * @param asOf the {@linkplain FrontierChanges#asOf time} of the look that showed which partitions it owned, on the storage's
 *     clock; nothing is said of those that it acquired later
 */
public record WorkerProgress(Optional<Instant> lowWatermark, Instant asOf) {
    public WorkerProgress {
        requireNonNull(lowWatermark, "lowWatermark");
        requireNonNull(asOf, "asOf");
    }
}
