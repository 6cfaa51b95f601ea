package dev.spream.outbox.worker;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.internal.SafeListeners;
import dev.spream.outbox.OutboxOwner;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The health of the store as a worker's calls find it. A failed call does not end the worker: listeners are notified of each
 * failure and of the first success after it; the first failure of each operation is logged until that operation works again. Safe
 * for use by many threads.
 */
final class StoreHealth {
    private static final Logger log = LoggerFactory.getLogger(StoreHealth.class);

    private final OutboxOwner owner;
    private final SafeListeners<OutboxListener> listener;
    private final Set<String> failing = ConcurrentHashMap.newKeySet();

    /** Whether listeners were told of a failure and not yet of an answer; set after they were told of the failure. */
    private final AtomicBoolean silent = new AtomicBoolean();

    StoreHealth(OutboxOwner owner, SafeListeners<OutboxListener> listener) {
        this.owner = owner;
        this.listener = listener;
    }

    /**
     * The result of the call.
     *
     * @throws StorageException if it fails, whatever the store threw
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
            log.info("[{}] outbox store: {} works again", owner.name(), operation);
        }
        if (silent.get() && silent.compareAndSet(true, false)) {
            listener.publish(OutboxListener::storeAnswered);
        }
        return result;
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
