package dev.spream.core.subscription;

import dev.spream.core.StorageException;
import dev.spream.core.internal.Alarm;
import dev.spream.core.internal.SafeListeners;
import java.time.Duration;
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
                return call.get();
            } catch (StorageException e) {
                if (!e.retryable() || !wanted.getAsBoolean()) {
                    throw e;
                }
                log.warn("partition storage: {} failed: {}; trying again", operation, e.getMessage(), e);
                listener.tell(l -> l.storageRetrying(operation, e));
                pause(backoff.next(), wanted);
            }
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
