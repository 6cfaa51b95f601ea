package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxStore;
import dev.spream.testkit.outbox.ForwardingOutboxStore;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** A store of which some operations fail, before they do anything, or after they did. Safe for use by many threads. */
final class FaultyOutboxStore extends ForwardingOutboxStore {
    /** Operations that fail without doing anything. */
    final Set<String> failing = ConcurrentHashMap.newKeySet();

    /** Operations that do what they should, and fail then. */
    final Set<String> unconfirmed = ConcurrentHashMap.newKeySet();

    final AtomicInteger failures = new AtomicInteger();

    FaultyOutboxStore(OutboxStore store) {
        super(store);
    }

    /** As if the process were dead: nothing reaches the store any more. */
    void cut() {
        failing.addAll(Set.of(
                "claim",
                "renew",
                "settle",
                "expire",
                "holdSegments",
                "releaseSegments",
                "ordered",
                "orderedOfKey",
                "claimOrdered",
                "removeOld",
                "watch"));
    }

    void heal() {
        failing.clear();
        unconfirmed.clear();
    }

    @Override
    protected <T> T call(String operation, Supplier<T> call) {
        if (failing.contains(operation)) {
            throw failure(operation + " did not reach the store");
        }
        T result = call.get();
        if (unconfirmed.contains(operation)) {
            throw failure("the confirmation of " + operation + " was lost");
        }
        return result;
    }

    private StorageException failure(String message) {
        failures.incrementAndGet();
        return new StorageException(message, true, null);
    }
}
