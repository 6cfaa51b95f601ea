package dev.spream.core.subscription;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SafeListeners;
import dev.spream.core.internal.Waiter;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats calls to the storage after retryable failures, while they are still wanted. Safe for use by many threads. */
final class RetryingStorageCalls {
    private static final Logger log = LoggerFactory.getLogger(RetryingStorageCalls.class);

    static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private static final Duration STEP = Duration.ofMillis(100);

    private final PartitionStorage storage;
    private final MonotonicTime time;
    private final RandomGenerator random;
    private final SafeListeners<SubscriptionListener> listener;

    private final Map<Call, Integer> failing = new ConcurrentHashMap<>(); // attempts that failed

    /** A call to the storage, with its partition if it is for one alone. */
    private record Call(String operation, Optional<PartitionToken> partition) {
        @Override
        public String toString() {
            return operation
                    + partition.map(token -> " (" + token.abbreviated() + ")").orElse("");
        }
    }

    /** Returns the pauses between attempts that are repeated until the server answers. */
    static ExponentialBackoff backoff(RandomGenerator random) {
        return new ExponentialBackoff(Duration.ofMillis(50), LONGEST_PAUSE, random);
    }

    RetryingStorageCalls(
            PartitionStorage storage,
            MonotonicTime time,
            RandomGenerator random,
            SafeListeners<SubscriptionListener> listener) {
        this.storage = storage;
        this.time = time;
        this.random = random;
        this.listener = listener;
    }

    /**
     * Makes the call until it succeeds, and returns its result.
     *
     * @param wanted checked before each repetition; if it is false, the last failure is thrown
     */
    <T> T repeat(String operation, BooleanSupplier wanted, Function<PartitionStorage, T> call)
            throws InterruptedException {
        return repeat(new Call(operation, Optional.empty()), wanted, call);
    }

    /** Does the same for one partition, whose failures are counted separately. */
    <T> T repeat(String operation, PartitionToken partition, BooleanSupplier wanted, Function<PartitionStorage, T> call)
            throws InterruptedException {
        return repeat(new Call(operation, Optional.of(partition)), wanted, call);
    }

    void run(String operation, BooleanSupplier wanted, Consumer<PartitionStorage> call) throws InterruptedException {
        repeat(operation, wanted, storage -> {
            call.accept(storage);
            return true;
        });
    }

    /** One attempt of a call. */
    interface Attempt<E extends Exception> {
        void run() throws E;
    }

    /**
     * Makes a call once; after a retryable failure the caller makes it again later.
     *
     * @param until the end of the attempts, such as " until they run out"; empty for nothing
     * @return the failure, if there was one
     */
    <E extends Exception> Optional<StorageException> once(String operation, String until, Attempt<E> call) throws E {
        try {
            call.run();
            worked(new Call(operation, Optional.empty()));
            return Optional.empty();
        } catch (StorageException e) {
            if (!e.retryable()) {
                throw e;
            }
            failed(new Call(operation, Optional.empty()), e, until);
            return Optional.of(e);
        }
    }

    private <T> T repeat(Call what, BooleanSupplier wanted, Function<PartitionStorage, T> call)
            throws InterruptedException {
        ExponentialBackoff backoff = backoff(random);
        boolean failed = false;
        try {
            while (true) {
                try {
                    T result = call.apply(storage);
                    worked(what);
                    return result;
                } catch (StorageException e) {
                    if (!e.retryable() || !wanted.getAsBoolean()) {
                        throw e;
                    }
                    failed = true;
                    failed(what, e, "");
                    pause(backoff.next(), wanted);
                }
            }
        } finally {
            if (failed) {
                abandoned(what); // removes the entry; a call that succeeded has none
            }
        }
    }

    /** Logs that a call that failed before is no longer repeated. */
    void abandoned(String operation) {
        abandoned(new Call(operation, Optional.empty()));
    }

    private void failed(Call call, StorageException failure, String until) {
        if (failing.merge(call, 1, Integer::sum) == 1) {
            log.warn(
                    "partition storage: {} failed: {}; retrying{}; recovery will be logged",
                    call,
                    LoggedFailure.message(failure),
                    until,
                    LoggedFailure.of(failure));
        }
        listener.publish(l -> l.storageRetrying(call.operation(), failure));
    }

    private void worked(Call call) {
        Integer attempts = failing.isEmpty() ? null : failing.remove(call);
        if (attempts != null) {
            log.warn("partition storage: {} succeeded, after {}", call, failed(attempts));
        }
    }

    private void abandoned(Call call) {
        Integer attempts = failing.remove(call);
        if (attempts != null) {
            log.warn("partition storage: {} is no longer retried, after {}", call, failed(attempts));
        }
    }

    private static String failed(int attempts) {
        return AttemptLog.attempts(attempts) + " that failed";
    }

    /** Waits in steps, so that a call that is no longer wanted delays no shutdown. */
    private void pause(Duration delay, BooleanSupplier wanted) throws InterruptedException {
        Waiter pause = new Waiter(time);
        for (Duration left = delay; left.isPositive() && wanted.getAsBoolean(); left = left.minus(STEP)) {
            pause.await(left.compareTo(STEP) < 0 ? left : STEP);
        }
    }
}
