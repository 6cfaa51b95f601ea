package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * A period of a partition whose records were lost to the stream's retention period before they were read, and whose
 * loss the user accepted. Reading continues at its end.
 *
 * @param from the watermark when the loss was accepted, inclusive
 * @param to where reading continues, exclusive: the first commit timestamp that is not lost
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
