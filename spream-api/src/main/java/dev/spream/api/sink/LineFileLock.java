package dev.spream.api.sink;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Keeps a file, and those that were put aside for it, to one owner, over all processes.
 *
 * <p>The lock is on a file beside it, which stays when the file is renamed; and POSIX drops the locks of a process on a file as
 * soon as the process closes any descriptor of it, be it one that only read, or one whose lock was refused. So the file of a
 * lock that this process has is never opened again.
 */
final class LineFileLock implements AutoCloseable {
    /** The real paths of the lock files that are in use, in this process. */
    private static final Set<Path> OWNED = ConcurrentHashMap.newKeySet();
    /** Locked by something else in this process, which would lose its lock if they were closed, or collected. */
    private static final Queue<FileChannel> NEVER_CLOSED = new ConcurrentLinkedQueue<>();

    private final Path file;
    private final Path lockPath;
    private final FileChannel lock;

    private LineFileLock(Path file, Path lockPath, FileChannel lock) {
        this.file = file;
        this.lockPath = lockPath;
        this.lock = lock;
    }

    /** Locks the file, which need not be there; its folder must. */
    static LineFileLock acquire(Path path) throws IOException {
        Path absolute = path.toAbsolutePath();
        Path folder = absolute.getParent();
        Path name = absolute.getFileName();
        if (folder == null || name == null) {
            throw new IOException("%s is a folder, not a file".formatted(absolute));
        }
        Path file = folder.toRealPath().resolve(name);
        if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("%s is no regular file; give the path of one, or of none".formatted(file));
        }
        return lock(file);
    }

    private static LineFileLock lock(Path file) throws IOException {
        Path beside = file.resolveSibling(file.getFileName() + ".lock");
        Path lockPath = Files.exists(beside) ? beside.toRealPath() : beside;
        if (!OWNED.add(lockPath)) {
            throw inUse(file, "this process");
        }
        try {
            return new LineFileLock(file, lockPath, open(file, lockPath));
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

    /** What a file is created with. */
    static FileAttribute<?>[] ownerOnly(Path path) {
        return isPosix(path)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    static boolean isPosix(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    private static IOException inUse(Path file, String by) {
        return new IOException(
                "%s is written by %s; one sink at a time writes a file: stop that one, or give another path"
                        .formatted(file, by));
    }

    /** The file, by the real path of its folder. */
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
