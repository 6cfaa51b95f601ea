package dev.spream.lock;

import dev.spream.core.SpreamException;
import org.jspecify.annotations.Nullable;

/**
 * Locks could not be taken, or are no longer held. Unless the subclass states otherwise, nothing is held: the whole
 * transaction was rolled back, with its changes and its locks.
 */
public abstract sealed class LockException extends SpreamException
        permits LockBusyException,
                LockCancelledException,
                LockConnectionException,
                LockDeadlockException,
                LockLostException,
                LockOrderException,
                BucketSpaceException,
                LockStoreException,
                LockTimeoutException {
    private static final long serialVersionUID = 1L;

    private final boolean retryable;

    LockException(String message, boolean retryable, @Nullable Throwable cause) {
        super(message, cause);
        this.retryable = retryable;
    }

    /** Returns the same kind of failure with the request, which a store does not know, at the front of its message. */
    final LockException named(LockRequest request) {
        String message = "locking %s: %s".formatted(request, getMessage());
        return switch (this) {
            case LockBusyException busy -> new LockBusyException(message, busy);
            case LockCancelledException cancelled -> new LockCancelledException(message, cancelled);
            case LockConnectionException connection -> new LockConnectionException(message, connection);
            case LockDeadlockException deadlock -> new LockDeadlockException(message, deadlock);
            case LockLostException lost -> new LockLostException(message, lost);
            case LockOrderException order -> new LockOrderException(message, order);
            case BucketsNotProvisionedException missing -> new BucketsNotProvisionedException(message, missing);
            case BucketSpaceException space -> new BucketSpaceException(message, space);
            case LockStoreException refused -> new LockStoreException(message, refused);
            case LockTimeoutException timeout -> new LockTimeoutException(message, timeout);
        };
    }

    /** Returns whether the same transaction, run again from its beginning, may succeed. */
    public final boolean retryable() {
        return retryable;
    }
}
