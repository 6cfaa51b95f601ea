package dev.spream.sink.gcs;

import com.google.cloud.storage.Storage;
import dev.spream.objectstore.ObjectStoreContract;
import dev.spream.sink.files.ObjectStore;

/**
 * The contract of objects in Cloud Storage, over Google's imitation in memory. That one checks the generation before it
 * stores an object and not while it does, so several writers at once prove nothing about it.
 */
final class GcsStoreTest extends ObjectStoreContract {
    private final Storage storage = MemoryStorage.create();

    @Override
    protected ObjectStore open() {
        return GcsStore.of(storage, "changes", "orders");
    }

    @Override
    protected int writers() {
        return 1;
    }
}
