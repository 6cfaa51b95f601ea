package dev.spream.lock;

/** A store knows keys; who asked knows names. */
final class LockFailures {
    private LockFailures() {}

    /** The same kind of failure, with what was asked for at the front of its message. */
    static LockException named(LockRequest request, LockException e) {
        String message = "locking %s: %s".formatted(request, e.getMessage());
        return switch (e) {
            case LockBusyException busy -> new LockBusyException(message, busy);
            case LockCancelledException cancelled -> new LockCancelledException(message, cancelled);
            case LockConnectionException connection -> new LockConnectionException(message, connection);
            case LockDeadlockException deadlock -> new LockDeadlockException(message, deadlock);
            case LockLostException lost -> new LockLostException(message, lost);
            case LockOrderException order -> new LockOrderException(message, order);
            case BucketsNotProvisionedException missing -> new BucketsNotProvisionedException(message, missing);
            case LockSpaceException space -> new LockSpaceException(message, space);
            case LockStoreException refused -> new LockStoreException(message, refused);
            case LockTimeoutException timeout -> new LockTimeoutException(message, timeout);
        };
    }
}
