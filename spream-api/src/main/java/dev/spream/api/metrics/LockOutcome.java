package dev.spream.api.metrics;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockLostException;
import dev.spream.lock.LockOrderException;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTimeoutException;

/** The outcome of an acquire call, as the value of a tag. */
enum LockOutcome {
    ACQUIRED,
    WAITED,
    BUSY,
    TIMEOUT,
    DEADLOCK,
    CANCELLED,
    CONNECTION,
    ORDER,
    LOST,
    SPACE,
    STORE;

    static LockOutcome of(LockException failure) {
        return switch (failure) {
            case LockBusyException busy -> BUSY;
            case LockTimeoutException timeout -> TIMEOUT;
            case LockDeadlockException deadlock -> DEADLOCK;
            case LockCancelledException cancelled -> CANCELLED;
            case LockConnectionException connection -> CONNECTION;
            case LockOrderException order -> ORDER;
            case LockLostException lost -> LOST;
            case BucketSpaceException space -> SPACE;
            case LockStoreException store -> STORE;
        };
    }
}
