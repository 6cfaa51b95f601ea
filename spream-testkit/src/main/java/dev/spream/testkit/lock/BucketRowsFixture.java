package dev.spream.testkit.lock;

import dev.spream.lock.LockKey;

/** A fixture of a store that locks rows, one a bucket. */
public interface BucketRowsFixture<T> extends LockStoreFixture<T> {

    /** Removes the row of a bucket from the namespace. */
    void removeBucket(LockKey key);
}
