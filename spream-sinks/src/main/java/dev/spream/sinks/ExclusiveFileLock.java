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
 * Keeps a file that a sink writes to that sink, over all processes, as long as each of them asks for it here.
 *
 * <p>The lock is on a file beside it, which has the same name and {@code .lock}, and stays when the file is renamed. POSIX
 * drops the locks of a process on a file as soon as the process closes any descriptor of it, be it one that only read, or
 * one whose lock was refused; so the file of a lock that this process has is never opened again.
 *
 * <p>Safe for use by many threads. The caller that acquired it closes it, after the file.
 */
final class ExclusiveFileLock implements AutoCloseable {
    /** The real paths of the lock files that are in use, in this process. */
    private static final Set<Path> OWNED = ConcurrentHashMap.newKeySet();

    /** Locked by something else in this process, which would lose its lock if they were closed, or collected. */
    private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

    private final Path file;
    private final Path lockPath;
    private final FileChannel lock;

    private ExclusiveFileLock(Path file, Path lockPath, FileChannel lock) {
        this.file = file;
        this.lockPath = lockPath;
        this.lock = lock;
    }

    /** @throws InUseException if something else has the file, which need not be there; its folder, by its real path, must */
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

    /** Attributes of a file that only its owner may read; none on a system without POSIX permissions. */
    static FileAttribute<?>[] ownerOnly(Path path) {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return new FileAttribute<?>[0];
        }
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        };
    }

    /** The file, by its real path or that of its folder. */
    Path file() {
        return file;
    }

    /** Lets others have the file. Closing again is harmless. */
    @Override
    public void close() throws IOException {
        if (lock.isOpen()) {
            try {
                lock.close();
            } finally {
                OWNED.remove(lockPath); // not before: the next holder of the lock would lose it with this descriptor
            }
        }
    }

    /** Another process or sink has the file. It was not changed. */
    static final class InUseException extends IOException {
        private static final long serialVersionUID = 1L;

        private final String owner;

        private InUseException(Path file, String owner) {
            super("%s is written by %s; one sink at a time writes a file: stop that one, or give another path"
                    .formatted(file, owner));
            this.owner = requireNonNull(owner, "owner");
        }

        String owner() {
            return owner;
        }
    }
}
