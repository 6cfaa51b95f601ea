package dev.spream.api.buffer;

import static java.util.Objects.requireNonNull;

import dev.spream.core.SpreamException;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.transaction.ChangeBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;

/**
 * A buffer in a file of H2's MVStore, which only the user of this process may read. The file is opened with the first change
 * and deleted by {@link #close}; one that a killed process left behind may be deleted. Safe for use by many threads.
 *
 * @see <a href="https://h2database.com/html/mvstore.html">H2: MVStore</a>
 */
public final class DiskChangeBuffer implements ChangeBuffer {
    private static final int CACHE_MEGABYTES = 4;
    private static final int WRITE_BUFFER_KILOBYTES = 1024;

    private final Path folder;
    private final AtomicLong last = new AtomicLong();

    // Guarded by this.
    private volatile OpenFile open = OpenFile.NONE;

    private record OpenFile(Path path, MVStore store, MVMap<Long, String> changes) {
        @SuppressWarnings("NullAway") // stands for no file
        private static final OpenFile NONE = new OpenFile(null, null, null);
    }

    /** Creates a buffer that keeps its file in that folder, which exists. */
    public DiskChangeBuffer(Path folder) {
        this.folder = requireNonNull(folder, "folder");
    }

    /** Creates a buffer in the folder for temporary files. */
    public static DiskChangeBuffer inTemporaryFolder() {
        return new DiskChangeBuffer(Path.of(System.getProperty("java.io.tmpdir")));
    }

    @Override
    public long add(DataChangeRecord change) {
        long id = last.incrementAndGet();
        try {
            file().changes().put(id, ChangeRecordJson.write(change));
        } catch (MVStoreException | UncheckedIOException e) {
            throw new BufferException(
                    "%s cannot be kept in a file in %s; the subscription stops, and reads it again after a restart. Free space there, or name another folder"
                            .formatted(change.identity(), folder),
                    e);
        }
        return id;
    }

    private OpenFile file() {
        OpenFile known = open;
        return known == OpenFile.NONE ? opened() : known;
    }

    private synchronized OpenFile opened() {
        if (open == OpenFile.NONE) {
            try {
                Path path = Files.createTempFile(folder, "spream-transactions-", ".mv");
                MVStore store = new MVStore.Builder()
                        .fileName(path.toString())
                        .cacheSize(CACHE_MEGABYTES)
                        .autoCommitBufferSize(WRITE_BUFFER_KILOBYTES)
                        .open();
                open = new OpenFile(path, store, store.openMap("changes"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return open;
    }

    @Override
    public DataChangeRecord read(long id) {
        try {
            return ChangeRecordJson.readDataChange(
                    requireNonNull(file().changes().get(id), "change"));
        } catch (MVStoreException e) {
            throw new BufferException(
                    "a change cannot be read from a file in %s; the subscription stops, and reads it from the stream after a restart"
                            .formatted(folder),
                    e);
        }
    }

    @Override
    public void remove(long id) {
        OpenFile file = open;
        if (file != OpenFile.NONE) {
            file.changes().remove(id);
        }
    }

    @Override
    public synchronized void close() {
        OpenFile file = open;
        open = OpenFile.NONE;
        if (file == OpenFile.NONE) {
            return;
        }
        file.store().closeImmediately();
        try {
            Files.deleteIfExists(file.path());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class BufferException extends SpreamException {
        private static final long serialVersionUID = 1L;

        BufferException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
