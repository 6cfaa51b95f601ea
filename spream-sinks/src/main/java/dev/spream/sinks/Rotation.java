package dev.spream.sinks;

import java.time.Duration;
import java.util.Optional;

/**
 * The rule by which a file is put aside for a new one, and by which those that were put aside stay.
 *
 * @param maxSize how many bytes a file may have; a longer line has one for itself
 * @param maxAge how long after its beginning a file is put aside
 * @param keep how many stay; empty for all
 */
record Rotation(Optional<Long> maxSize, Optional<Duration> maxAge, Optional<Integer> keep) {
    static final Rotation NEVER = new Rotation(Optional.empty(), Optional.empty(), Optional.empty());

    Rotation {
        if (keep.isPresent() && maxSize.isEmpty() && maxAge.isEmpty()) {
            throw new IllegalArgumentException(
                    "keep: no file is ever put aside without max-size or max-age; set one of them, or leave keep out");
        }
    }

    boolean isTooLarge(long size) {
        return maxSize.isPresent() && size > maxSize.get();
    }

    boolean isTooOld(Duration age) {
        return maxAge.isPresent() && age.compareTo(maxAge.get()) >= 0;
    }
}
