package dev.spream.lock;

import static dev.spream.core.internal.Bounds.requireBetween;

import java.util.Comparator;

/**
 * The key that a database locks for a target: a bucket of its level. Targets of one level may share a bucket; then one
 * waits for the other unnecessarily. The reverse cannot happen: equal targets have equal keys.
 *
 * <p>The natural order, level first and then bucket, is the order in which all owners take locks.
 *
 * @param level 0 for roots
 * @param bucket 0 or more, less than the {@linkplain BucketSpace#buckets number of buckets}
 */
public record LockKey(int level, long bucket) implements Comparable<LockKey> {
    private static final Comparator<LockKey> ORDER =
            Comparator.comparingInt(LockKey::level).thenComparingLong(LockKey::bucket);

    public LockKey {
        requireBetween("level", level, 0, LockTarget.MAX_LEVELS - 1);
        if (bucket < 0) {
            throw new IllegalArgumentException("bucket is %d, must not be negative".formatted(bucket));
        }
    }

    @Override
    public int compareTo(LockKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return level + ":" + bucket;
    }
}
