package dev.spream.search.lucene;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.store.Lock;
import org.apache.lucene.store.LockObtainFailedException;

/** An index that another process has. */
final class LockedIndex {
    private LockedIndex() {}

    static SearchException by(String name, Path folder, IOException cause) {
        return new SearchException(
                FailureKind.TRANSIENT,
                "the search index %s in %s is open elsewhere: %s has it; only one process at a time can use it, so stop that one first: a projection that writes to two directories leaves each with a part"
                        .formatted(name, folder, IndexFolder.owner(folder)),
                cause);
    }

    static void requireNotInUse(String name, Path folder) {
        try (FSDirectory directory = FSDirectory.open(folder);
                Lock lock = directory.obtainLock(IndexWriter.WRITE_LOCK_NAME)) {
            lock.ensureValid();
        } catch (LockObtainFailedException e) {
            throw by(name, folder, e);
        } catch (IOException e) {
            throw new SearchException(
                    FailureKind.TRANSIENT, "the folder %s cannot be locked: %s".formatted(folder, e), e);
        }
    }
}
