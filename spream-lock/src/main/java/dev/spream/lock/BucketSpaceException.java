package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/**
 * The bucket layout of the database differs from the one that this process is configured with: another number of
 * buckets, another hash, another strategy, or missing buckets. Locks taken with it would not exclude those of other
 * processes.
 */
public sealed class BucketSpaceException extends LockException permits BucketsNotProvisionedException {
    private static final long serialVersionUID = 1L;

    public BucketSpaceException(String message, @Nullable Throwable cause) {
        super(message, false, cause);
    }
}
