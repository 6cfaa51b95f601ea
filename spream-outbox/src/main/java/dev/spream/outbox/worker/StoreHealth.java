package dev.spream.outbox.worker;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.internal.SafeListeners;
import dev.spream.outbox.OutboxOwner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the store for a worker and reports failures and recovery. A failed call does not stop the worker: listeners are
 * notified of each failure and of the first success after it. Of each operation, the first failure and the recovery are
 * logged. Safe for use by many threads.
 */
final class StoreHealth {
    private static final Logger log = LoggerFactory.getLogger(StoreHealth.class);

    private final OutboxOwner owner;
    private final SafeListeners<OutboxListener> listener;
    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    /**
     * Whether listeners were notified of a failure and not yet of the recovery; set after the notification of the
     * failure.
     */
    private final AtomicBoolean silent = new AtomicBoolean();

    StoreHealth(OutboxOwner owner, SafeListeners<OutboxListener> listener) {
        this.owner = owner;
        this.listener = listener;
    }

    /**
     * Returns the result of the call.
     *
     * @throws StorageException if the call fails, whatever exception the store threw
     */
    <T> T call(String operation, Supplier<T> call) {
        T result;
        try {
            result = call.get();
        } catch (StorageException e) {
            throw failed(operation, e);
        } catch (RuntimeException e) {
            throw failed(operation, new StorageException("the outbox store violated its contract: " + e, true, e));
        }
        if (!failing.isEmpty() && failing.remove(operation)) {
            log.info("[{}] outbox store: {} has recovered", owner.name(), operation);
        }
        if (silent.get() && silent.compareAndSet(true, false)) {
            listener.publish(OutboxListener::storeAnswered);
        }
        return result;
    }

    /** Tells the listeners what a call has done. */
    void publish(Consumer<OutboxListener> event) {
        listener.publish(event);
    }

    /** Returns whether no call has failed since the last one that succeeded. */
    boolean isAnswered() {
        return !silent.get();
    }

    private StorageException failed(String operation, StorageException e) {
        if (failing.add(operation)) {
            log.warn(
                    "[{}] outbox store: {} failed: {}; the worker keeps retrying and logs when the store recovers",
                    owner.name(),
                    operation,
                    LoggedFailure.message(e),
                    LoggedFailure.of(e));
        } else {
            log.debug("[{}] outbox store: {} failed again: {}", owner.name(), operation, LoggedFailure.message(e));
        }
        listener.publish(l -> l.storeFailed(e));
        silent.set(true);
        return e;
    }
}
