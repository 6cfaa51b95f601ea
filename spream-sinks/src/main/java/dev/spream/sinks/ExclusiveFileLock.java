package dev.spream.sinks;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Reserves a file for one sink, among all processes that use this class.
 *
 * <p>The lock is on a file beside it, with the same name and {@code .lock}, which remains when the file is renamed.
 * POSIX drops all locks of a process on a file as soon as the process closes any descriptor of it, even one that only
 * read, or whose lock was refused; so the lock file of a lock that this process holds is never opened again.
 */
final class ExclusiveFileLock implements AutoCloseable {
    /** The real paths of the lock files that are in use, in this process. */
    private static final Set<Path> OWNED = ConcurrentHashMap.newKeySet();

    /**
     * Channels of files that other code in this process has locked, which would lose its lock if they were closed or
     * collected.
     */
    private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

    private final Path file;
    private final Path lockPath;
    private final FileChannel lock;

    private ExclusiveFileLock(Path file, Path lockPath, FileChannel lock) {
        this.file = file;
        this.lockPath = lockPath;
        this.lock = lock;
    }

    /**
     * @throws InUseException if something else has reserved the file. The file need not exist; its folder must, and be
     *     given by its real path
     */
    static ExclusiveFileLock acquire(Path file) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        Path lockPath = Files.exists(beside) ? beside.toRealPath() : beside;
        if (!OWNED.add(lockPath)) {
            throw new InUseException(file, "this process");
        }
        try {
            return new ExclusiveFileLock(file, lockPath, open(file, lockPath));
        } catch (Throwable t) {
            OWNED.remove(lockPath);
            throw t;
        }
    }

    private static FileChannel open(Path file, Path lockPath) throws IOException {
        FileChannel lock = FileChannel.open(
                lockPath, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), ownerOnly(lockPath));
        try {
            if (lock.tryLock() == null) {
                throw new InUseException(file, "another process");
            }
            return lock;
        } catch (OverlappingFileLockException e) {
            NEVER_CLOSED.add(lock);
            throw new InUseException(file, "this process");
        } catch (Throwable t) {
            lock.close();
            throw t;
        }
    }

    /** Returns the attributes of a file that only its owner may read; none on a system without POSIX permissions. */
    static FileAttribute<?>[] ownerOnly(Path path) {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return new FileAttribute<?>[0];
        }
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        };
    }

    /** Returns the file, by its real path or that of its folder. */
    Path file() {
        return file;
    }

    /** Releases the file. Closing again is harmless. */
    @Override
    public void close() throws IOException {
        if (lock.isOpen()) {
            try {
                lock.close();
            } finally {
                OWNED.remove(lockPath); // afterwards: the next holder of the lock would lose it with this descriptor
            }
        }
    }

    /** Another process or sink has reserved the file. It was not changed. */
    static final class InUseException extends IOException {
        private static final long serialVersionUID = 1L;

        private final String owner;

        private InUseException(Path file, String owner) {
            super(
                    "%s is written by %s; only one sink at a time can write a file: stop the other one, or configure another path"
                            .formatted(file, owner));
            this.owner = requireNonNull(owner, "owner");
        }

        String owner() {
            return owner;
        }
    }
}
