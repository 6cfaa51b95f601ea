package dev.spream.lock.provisioning;

import dev.spream.lock.BucketSpace;

/**
 * The layout of the locks in one place, as the database records it: all programs that lock there agree on it.
 *
 * @param strategy what a lock is there, such as {@code advisory} or {@code rows}; locks of one kind exclude nobody of another
 * @param space the keys that there are
 */
public record BucketLayout(String strategy, BucketSpace space) {
    @Override
    public String toString() {
        return strategy + ", " + space;
    }
}
