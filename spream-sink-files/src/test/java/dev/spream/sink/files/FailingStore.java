package dev.spream.sink.files;

import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** A store whose calls fail as often as it is told, before or after they had their effect; all of them, or one kind. */
class FailingStore implements ObjectStore {
    private final ObjectStore store;
    private final boolean retryable;
    volatile int failures;
    volatile boolean afterwards;
    volatile boolean entriesOnly; // those that store an entry of the log

    FailingStore(ObjectStore store, boolean retryable) {
        this.store = store;
        this.retryable = retryable;
    }

    private <T> T calling(Supplier<T> call) {
        return calling(false, call);
    }

    private synchronized <T> T calling(boolean isEntry, Supplier<T> call) {
        if (failures > 0 && (isEntry || !entriesOnly)) {
            failures--;
            if (afterwards) {
                T unused = call.get();
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
        return calling(name.startsWith(FilesLog.ENTRIES), () -> store.putIfAbsent(name, content));
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
