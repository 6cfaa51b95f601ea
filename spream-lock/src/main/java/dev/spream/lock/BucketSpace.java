package dev.spream.lock;

import static dev.spream.core.internal.Bounds.requireBetween;

/**
 * The bucket space: all keys that can be locked. Every process that uses one database must have the same one, since
 * locks of different bucket spaces do not exclude each other; a {@link LockStore} records it and refuses another.
 *
 * @param hash the hash function of paths
 * @param buckets the number of buckets of each level, 1 to 2<sup>60</sup>; with more, targets share a bucket less often
 * @param levels the maximum depth of targets, 1 to {@value LockTarget#MAX_LEVELS}
 */
public record BucketSpace(BucketHash hash, long buckets, int levels) {
    /**
     * A number of buckets at which two targets practically never share one, for stores that need no room for a
     * bucket.
     */
    public static final long MAX_BUCKETS = 1L << 60;

    public BucketSpace {
        requireBetween("buckets", buckets, 1, MAX_BUCKETS);
        requireBetween("levels", levels, 1, LockTarget.MAX_LEVELS);
    }

    /**
     * Returns the key of a target.
     *
     * @throws IllegalArgumentException if the target is deeper than this space
     */
    public LockKey keyOf(LockTarget target) {
        if (target.level() >= levels) {
            throw new IllegalArgumentException("%s is at level %d, must be at level 0 to %d of the bucket space"
                    .formatted(target, target.level(), levels - 1));
        }
        return new LockKey(target.level(), Long.remainderUnsigned(hash.hash(target.path()), buckets));
    }

    @Override
    public String toString() {
        return "%d levels of %d buckets by %s".formatted(levels, buckets, hash);
    }
}
