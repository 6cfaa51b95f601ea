package dev.spream.sinks;

import java.time.Duration;
import java.util.Optional;

/**
 * The rule for the rotation of a file, and for the number of rotated files that are kept.
 *
 * @param maxSize the maximum size of a file in bytes; a longer line has a file of its own
 * @param maxAge the age at which a file is rotated
 * @param keep the number of rotated files to keep; empty for all
 */
record Rotation(Optional<Long> maxSize, Optional<Duration> maxAge, Optional<Integer> keep) {
    static final Rotation NEVER = new Rotation(Optional.empty(), Optional.empty(), Optional.empty());

    Rotation {
        if (keep.isPresent() && maxSize.isEmpty() && maxAge.isEmpty()) {
            throw new IllegalArgumentException(
                    "keep: files are never rotated without max-size or max-age; set one of them, or remove keep");
        }
    }

    boolean isTooLarge(long size) {
        return maxSize.isPresent() && size > maxSize.get();
    }

    boolean isTooOld(Duration age) {
        return maxAge.isPresent() && age.compareTo(maxAge.get()) >= 0;
    }
}
