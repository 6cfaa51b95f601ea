package dev.spream.core.consume;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a dead letter file to one owner, over all processes.
 *
 * <p>The lock is on a file beside it: POSIX drops the locks of a process on a file as soon as the process closes any
 * descriptor of it, be it one that only read, or one whose lock was refused. So the file of a lock that this process has is
 * never opened again.
 */
final class LetterFileLock implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LetterFileLock.class);

    /** The real paths of the lock files that are in use, in this process. */
    private static final Set<Path> OWNED = ConcurrentHashMap.newKeySet();
    /** Locked by something else in this process, which would lose its lock if they were closed, or collected. */
    private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

    private final Path file;
    private final Path lockPath;
    private final FileChannel lock;

    private LetterFileLock(Path file, Path lockPath, FileChannel lock) {
        this.file = file;
        this.lockPath = lockPath;
        this.lock = lock;
    }

    /** Locks the file, which is created if absent; files that are created are for their owner alone. */
    static LetterFileLock acquire(Path path) throws IOException {
        create(path);
        return lock(path.toRealPath());
    }

    private static void create(Path path) throws IOException {
        try {
            Files.createFile(path, ownerOnly(path));
        } catch (FileAlreadyExistsException e) {
            return;
        }
        try (FileChannel folder = FileChannel.open(path.toRealPath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        } catch (IOException e) {
            log.debug("the folder of {} cannot be forced on this system", path, e);
        }
    }

    private static LetterFileLock lock(Path file) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        Path lockPath = Files.exists(beside) ? beside.toRealPath() : beside;
        if (!OWNED.add(lockPath)) {
            throw inUse(file, "this process");
        }
        try {
            return new LetterFileLock(file, lockPath, open(file, lockPath));
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
                throw inUse(file, "another process");
            }
            return lock;
        } catch (OverlappingFileLockException e) {
            NEVER_CLOSED.add(lock);
            throw inUse(file, "this process");
        } catch (Throwable t) {
            lock.close();
            throw t;
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path path) {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return new FileAttribute<?>[0];
        }
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        };
    }

    private static DeadLetterException inUse(Path file, String by) {
        return new DeadLetterException(
                "the dead letter file %s is in use by %s; one sink at a time has it open: close that one, or share it"
                        .formatted(file, by));
    }

    /** The file, by its real path. */
    Path file() {
        return file;
    }

    @Override
    public void close() throws IOException {
        if (lock.isOpen()) {
            try {
                lock.close();
            } finally {
                OWNED.remove(lockPath); // not before: whoever has the lock next would lose it with this descriptor
            }
        }
    }
}
