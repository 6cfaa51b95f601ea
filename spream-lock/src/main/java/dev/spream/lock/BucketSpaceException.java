package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * The locks of the database are not those that this process asks for: another number of buckets, another hash, another
 * strategy, or buckets that are missing. Locks taken all the same would exclude nobody.
 */
public sealed class BucketSpaceException extends LockException permits BucketsNotProvisionedException {
    private static final long serialVersionUID = 1L;

    public BucketSpaceException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
