package dev.spream.projection.runner;

import dev.spream.core.StorageException;
import dev.spream.projection.ProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A store that does not do what a test says, before it has done it or after. Safe for use by many threads. */
final class FaultyProjectionStore extends ForwardingProjectionStore<Transaction> {
    final Set<String> failing = ConcurrentHashMap.newKeySet();
    final Set<String> losingAnswers = ConcurrentHashMap.newKeySet();
    final AtomicInteger failures = new AtomicInteger();
    final AtomicInteger calls = new AtomicInteger();
    private volatile boolean cut;

    FaultyProjectionStore(ProjectionStore<Transaction> store) {
        super(store);
    }

    void cut() {
        cut = true;
    }

    void heal() {
        cut = false;
        failing.clear();
        losingAnswers.clear();
    }

    @Override
    protected <V> V call(String operation, Callable<V> call) throws Exception {
        if (cut || failing.contains(operation)) {
            failures.incrementAndGet();
            throw new StorageException(operation + " did not reach the store", true, null);
        }
        if (operation.equals("apply")) {
            calls.incrementAndGet();
        }
        V result = call.call();
        if (losingAnswers.contains(operation)) {
            failures.incrementAndGet();
            throw new StorageException("the answer to " + operation + " was lost", true, null);
        }
        return result;
    }
}
