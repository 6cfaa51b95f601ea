package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * A period of a partition whose records were not read, which the user accepted: they were lost to the stream's retention
 * period, or skipped by a {@linkplain Correction.AddGap correction}. Reading continues at its end.
 *
 * @param from the watermark when the gap was accepted, inclusive
 * @param to where reading continues, exclusive: the first commit timestamp after the gap
 */
public record PartitionGap(Instant from, Instant to) {
    public PartitionGap {
        requireNonNull(from, "from");
        requireNonNull(to, "to");
        if (!from.isBefore(to)) {
            throw new IllegalArgumentException("a gap must end after its start: from %s, to %s".formatted(from, to));
        }
    }
}
