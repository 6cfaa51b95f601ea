package dev.spream.testkit.lock;

import dev.spream.lock.LockKey;

/** A fixture of a store that locks one row for each bucket. */
public interface BucketRowsFixture<T> extends LockStoreFixture<T> {

    /** Deletes the row of a bucket from the namespace. */
    void removeBucket(LockKey key);
}
