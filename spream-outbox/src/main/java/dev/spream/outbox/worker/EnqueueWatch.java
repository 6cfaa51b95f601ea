package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxStore;
import org.jspecify.annotations.Nullable;

/** The registration of a worker to be woken when something is enqueued. Confined to one thread at a time. */
final class EnqueueWatch {
    private final WorkerStore store;
    private final Runnable onEnqueue;
    private OutboxStore.@Nullable Watch registered;

    /** @param onEnqueue called by any thread when something was enqueued; must not wait */
    EnqueueWatch(WorkerStore store, Runnable onEnqueue) {
        this.store = store;
        this.onEnqueue = onEnqueue;
    }

    /** Registers unless that is done. */
    void keep() {
        if (registered == null) {
            try {
                registered = store.watch(onEnqueue);
            } catch (StorageException e) {
                // Reported; tried again at the next time, and the worker looks by itself.
            }
        }
    }

    void close() {
        if (registered != null) {
            registered.close();
        }
    }
}
