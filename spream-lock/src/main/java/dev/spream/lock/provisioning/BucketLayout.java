package dev.spream.lock.provisioning;

import dev.spream.lock.BucketSpace;

/**
 * The layout of the locks in one place, as the database records it: all programs that lock there agree on it.
 *
 * @param strategy the kind of lock, such as {@code advisory} or {@code rows}; locks of different kinds do not exclude
 *     each other
 * @param space the bucket space
 */
public record BucketLayout(String strategy, BucketSpace space) {
    @Override
    public String toString() {
        return strategy + ", " + space;
    }
}
