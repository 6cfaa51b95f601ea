package dev.spream.storage.jdbc.lock.postgres;

import dev.spream.core.Sha256;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockKey;
import dev.spream.storage.jdbc.internal.SchemaName;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Maps keys to numbers of advisory locks, which the whole database shares: the level in the upper four bits, and below
 * it the bucket plus an offset of the schema. Numbers are unique within a schema; collisions with another schema or
 * another program are very unlikely.
 */
final class AdvisoryKeys {
    private static final int LEVEL_SHIFT = 60;
    private static final long BUCKET_MASK = BucketSpace.MAX_BUCKETS - 1;

    private final long offset;

    AdvisoryKeys(SchemaName schema) {
        this.offset = ByteBuffer.wrap(Sha256.of("spream locks " + schema)).getLong() >>> (Long.SIZE - LEVEL_SHIFT);
    }

    /** Returns the number, which may be negative. */
    long number(LockKey key) {
        return (long) key.level() << LEVEL_SHIFT | ((key.bucket() + offset) & BUCKET_MASK);
    }

    /** Returns the key of that number; empty if it is none of the space, so that the lock is another program's. */
    Optional<LockKey> key(long number, BucketSpace space) {
        int level = (int) (number >>> LEVEL_SHIFT);
        long bucket = ((number & BUCKET_MASK) - offset) & BUCKET_MASK;
        return level < space.levels() && bucket < space.buckets()
                ? Optional.of(new LockKey(level, bucket))
                : Optional.empty();
    }
}
