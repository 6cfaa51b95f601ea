package dev.spream.sink.files;

/** The store of other tests passes the contract. */
final class MemoryStoreTest extends ObjectStoreContract {
    private final MemoryStore store = new MemoryStore();

    @Override
    protected ObjectStore open() {
        return store;
    }
}
