package dev.spream.objectstore;

import dev.spream.sink.files.LocalStore;
import dev.spream.sink.files.ObjectStore;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract of files in a folder. */
final class LocalStoreContractTest extends ObjectStoreContract {
    @TempDir
    private Path folder;

    @Override
    protected ObjectStore open() {
        return LocalStore.open(folder);
    }

    @Override
    protected int many() {
        return 20; // a folder has no pages, and each file is forced to disk
    }
}
