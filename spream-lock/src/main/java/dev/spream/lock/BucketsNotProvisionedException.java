package dev.spream.lock;

import org.jspecify.annotations.Nullable;

/** A bucket has no row, and a missing row cannot be locked. Provision all buckets and try again. */
public final class BucketsNotProvisionedException extends BucketSpaceException {
    private static final long serialVersionUID = 1L;

    public BucketsNotProvisionedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
