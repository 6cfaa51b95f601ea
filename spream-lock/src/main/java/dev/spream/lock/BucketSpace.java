package dev.spream.lock;

import static dev.spream.core.internal.Bounds.requireBetween;

/**
 * The bucket space: all keys that can be locked. Every process that uses one database must have the same one, since
 * locks of different bucket spaces do not exclude each other; a {@link LockStore} records it and refuses another.
 *
 * @param hash how a path becomes a number
 * @param buckets how many buckets each level has, 1 to 2<sup>60</sup>; more make it rarer that two targets share one
 * @param levels how deep targets can be, 1 to {@value LockTarget#MAX_LEVELS}
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
     * The key of a target.
     *
     * @throws IllegalArgumentException if the target is deeper than this space
     */
    public LockKey keyOf(LockTarget target) {
        if (target.level() >= levels) {
            throw new IllegalArgumentException("%s is at level %d, this space of locks has levels 0 to %d"
                    .formatted(target, target.level(), levels - 1));
        }
        return new LockKey(target.level(), Long.remainderUnsigned(hash.hash(target.path()), buckets));
    }

    @Override
    public String toString() {
        return "%d levels of %d buckets by %s".formatted(levels, buckets, hash);
    }
}
