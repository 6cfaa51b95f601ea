package dev.spream.sink.files;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A store whose calls fail as often as it is told, before or after they had their effect. */
class FailingStore implements ObjectStore {
    private final ObjectStore store;
    private final boolean retryable;
    volatile int failures;
    volatile boolean afterwards;

    FailingStore(ObjectStore store, boolean retryable) {
        this.store = store;
        this.retryable = retryable;
    }

    private synchronized <T> T calling(Supplier<T> call) {
        if (failures > 0) {
            failures--;
            if (afterwards) {
                call.get();
            }
            throw new ObjectStoreException("the disk is on fire", retryable, null);
        }
        return call.get();
    }

    @Override
    public void put(String name, byte[] content) {
        calling(() -> {
            store.put(name, content);
            return true;
        });
    }

    @Override
    public boolean putIfAbsent(String name, byte[] content) {
        return calling(() -> store.putIfAbsent(name, content));
    }

    @Override
    public Optional<byte[]> get(String name) {
        return calling(() -> store.get(name));
    }

    @Override
    public List<String> list(String prefix) {
        return calling(() -> store.list(prefix));
    }

    @Override
    public void delete(String name) {
        calling(() -> {
            store.delete(name);
            return true;
        });
    }

    @Override
    public void close() {
        store.close();
    }

    @Override
    public String toString() {
        return store.toString();
    }
}
