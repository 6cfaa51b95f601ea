package dev.spream.api.buffer;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.core.SpreamException;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.transaction.ChangeBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A buffer in a file of H2's MVStore, which only the user of this process may read. The file is opened with the first change
 * and deleted by {@link #close}; one that a killed process left behind may be deleted. Safe for use by many threads.
 *
 * @see <a href="https://h2database.com/html/mvstore.html">H2: MVStore</a>
 */
public final class DiskChangeBuffer implements ChangeBuffer {
    private static final Logger log = LoggerFactory.getLogger(DiskChangeBuffer.class);
    private static final String PREFIX = "spream-transactions-";
    private static final String SUFFIX = ".mv";

    /** The time within which a file that was created is opened. */
    private static final Duration CREATION = Duration.ofMinutes(1);

    private static final int CACHE_MEGABYTES = 4;
    private static final int WRITE_BUFFER_KILOBYTES = 1024;

    private final Path folder;
    private final FileCalls calls;
    private final AtomicLong last = new AtomicLong();

    // Written under the monitor.
    private volatile @Nullable OpenFile open;
    private volatile boolean closed;

    private record OpenFile(Path path, MVStore store, MVMap<Long, String> changes) {}

    /** The calls to the file system in which other processes and users are met. */
    interface FileCalls {
        default Path create(Path folder) throws IOException {
            return Files.createTempFile(folder, PREFIX, SUFFIX);
        }

        default UserPrincipal owner(Path file) throws IOException {
            return Files.getOwner(file, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** Creates a buffer that keeps its file in that folder, which exists. */
    public DiskChangeBuffer(Path folder) {
        this(folder, new FileCalls() {});
    }

    DiskChangeBuffer(Path folder, FileCalls calls) {
        this.folder = requireNonNull(folder, "folder");
        this.calls = calls;
    }

    /** Creates a buffer in the folder for temporary files. */
    public static DiskChangeBuffer inTemporaryFolder() {
        return new DiskChangeBuffer(Path.of(System.getProperty("java.io.tmpdir")));
    }

    @Override
    public long add(DataChangeRecord change) {
        long id = last.incrementAndGet();
        String text = ChangeRecordJson.write(change);
        try {
            apart(() -> file().changes().put(id, text));
        } catch (MVStoreException | UncheckedIOException e) {
            throw new BufferException(
                    "%s cannot be kept in a file in %s; the subscription stops, and reads it again after a restart. Free space there, or name another folder, by -Djava.io.tmpdir for that of temporary files"
                            .formatted(change.identity(), folder),
                    e);
        }
        return id;
    }

    private OpenFile file() {
        OpenFile known = open;
        return known == null ? opened() : known;
    }

    private synchronized OpenFile opened() {
        OpenFile known = open;
        if (known != null) {
            return known;
        }
        if (closed) {
            throw new BufferException("the buffer is closed, since the run that it belongs to has ended", null);
        }
        try {
            OpenFile opened = created();
            open = opened;
            return opened;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates a file, and another one if the search of another process has locked the first. */
    private OpenFile created() throws IOException {
        Path path = calls.create(folder);
        removeLeftBehind(calls.owner(path));
        try {
            return opened(path);
        } catch (MVStoreException e) {
            if (e.getErrorCode() != DataUtils.ERROR_FILE_LOCKED) {
                throw e;
            }
            return opened(calls.create(folder));
        }
    }

    private static OpenFile opened(Path path) throws IOException {
        try {
            MVStore store = open(path);
            return new OpenFile(path, store, store.openMap("changes"));
        } catch (MVStoreException e) {
            Files.deleteIfExists(path);
            throw e;
        }
    }

    private static MVStore open(Path path) {
        return new MVStore.Builder()
                .fileName(path.toString())
                .cacheSize(CACHE_MEGABYTES)
                .autoCommitBufferSize(WRITE_BUFFER_KILOBYTES)
                .open();
    }

    /** Deletes files that processes of this user left when they were killed. */
    private void removeLeftBehind(UserPrincipal user) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*" + SUFFIX)) {
            for (Path file : files) {
                removeIfLeftBehind(file, user);
            }
        } catch (IOException | DirectoryIteratorException e) {
            log.warn(
                    "{} cannot be searched for files of processes that were killed, which have values of rows",
                    folder,
                    LoggedFailure.of(e));
        }
    }

    private void removeIfLeftBehind(Path file, UserPrincipal user) {
        try {
            if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && calls.owner(file).equals(user)
                    && !isBeingCreated(file)
                    && isUnlocked(file)
                    && Files.deleteIfExists(file)) {
                log.info("{} deleted: the process that wrote it has ended", file);
            }
        } catch (NoSuchFileException e) {
            log.debug("{} is deleted already", file);
        } catch (IOException | RuntimeException e) {
            log.warn(
                    "{} may be of a process that was killed, and cannot be deleted; delete it, since it has values of rows",
                    file,
                    LoggedFailure.of(e));
        }
    }

    /** Returns whether its process may not have opened it yet. */
    private static boolean isBeingCreated(Path file) throws IOException {
        return Files.size(file) == 0
                && Files.getLastModifiedTime(file)
                        .toInstant()
                        .isAfter(Instant.now().minus(CREATION));
    }

    /** A store that is in use is locked, and cannot be opened. */
    private static boolean isUnlocked(Path file) {
        try {
            open(file).closeImmediately();
            return true;
        } catch (MVStoreException e) {
            return e.getErrorCode() != DataUtils.ERROR_FILE_LOCKED;
        }
    }

    @Override
    public DataChangeRecord read(long id) {
        try {
            String text = apart(() -> file().changes().get(id));
            return ChangeRecordJson.readDataChange(requireNonNull(text, "change"));
        } catch (MVStoreException e) {
            throw new BufferException(
                    "a change cannot be read from a file in %s; the subscription stops, and reads it from the stream after a restart"
                            .formatted(folder),
                    e);
        }
    }

    @Override
    public void remove(Collection<Long> ids) {
        OpenFile file = open;
        if (file == null) {
            return;
        }
        try {
            apart(() -> {
                ids.forEach(file.changes()::remove);
                return null;
            });
        } catch (MVStoreException e) {
            if (!closed) {
                throw new BufferException(
                        "changes cannot be removed from a file in %s; the subscription stops".formatted(folder), e);
            }
        }
    }

    @Override
    public synchronized void close() {
        OpenFile file = open;
        open = null;
        closed = true;
        if (file == null) {
            return;
        }
        file.store().closeImmediately();
        try {
            Files.deleteIfExists(file.path());
        } catch (IOException e) {
            log.warn("{} cannot be deleted; delete it, since it has values of rows", file.path(), LoggedFailure.of(e));
        }
    }

    /** Calls the store on a thread of its own: an interrupt of the consumer's thread would close the file. */
    private static <T> @Nullable T apart(Supplier<@Nullable T> call) {
        try {
            return CompletableFuture.supplyAsync(
                            call, command -> Thread.ofVirtual().start(command))
                    .join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private static final class BufferException extends SpreamException {
        private static final long serialVersionUID = 1L;

        BufferException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
