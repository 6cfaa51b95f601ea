package dev.spream.core.subscription;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.internal.Alarm;
import dev.spream.core.internal.SafeListeners;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats a call to the storage while it fails in a way that may pass and somebody still wants it. */
final class StorageCalls {
    private static final Logger log = LoggerFactory.getLogger(StorageCalls.class);

    private static final Duration STEP = Duration.ofMillis(100);

    private final EngineTime time;
    private final RandomGenerator random;
    private final SafeListeners<SubscriptionListener> listener;

    private final Map<String, Integer> failing = new ConcurrentHashMap<>(); // attempts, by operation

    StorageCalls(EngineTime time, RandomGenerator random, SafeListeners<SubscriptionListener> listener) {
        this.time = time;
        this.random = random;
        this.listener = listener;
    }

    /**
     * The result of the call, after as many attempts as it takes.
     *
     * @param wanted asked before each repetition; the last failure is thrown when it says no
     */
    <T> T repeat(String operation, BooleanSupplier wanted, Supplier<T> call) throws InterruptedException {
        ReconnectBackoff backoff = new ReconnectBackoff(random);
        while (true) {
            try {
                T result = call.get();
                worked(operation);
                return result;
            } catch (StorageException e) {
                if (!e.retryable() || !wanted.getAsBoolean()) {
                    throw e;
                }
                failed(operation, e);
                pause(backoff.next(), wanted);
            }
        }
    }

    /** Says that a call failed and is repeated: in the log the first time, until it works. */
    void failed(String operation, StorageException failure) {
        if (failing.merge(operation, 1, Integer::sum) == 1) {
            log.warn(
                    "partition storage: {} failed: {}; it is tried again, and said when it works",
                    operation,
                    failure.getMessage(),
                    LoggedFailure.of(failure));
        }
        listener.tell(l -> l.storageRetrying(operation, failure));
    }

    /** Says that a call that failed before works. */
    void worked(String operation) {
        Integer attempts = failing.isEmpty() ? null : failing.remove(operation);
        if (attempts != null) {
            log.warn("partition storage: {} works again, after {} attempts that failed", operation, attempts);
        }
    }

    /** Waits in steps, so that a call that nobody wants any more holds up no shutdown. */
    private void pause(Duration delay, BooleanSupplier wanted) throws InterruptedException {
        Alarm pause = new Alarm(time);
        for (Duration left = delay; left.isPositive() && wanted.getAsBoolean(); left = left.minus(STEP)) {
            pause.await(left.compareTo(STEP) < 0 ? left : STEP);
        }
    }
}
