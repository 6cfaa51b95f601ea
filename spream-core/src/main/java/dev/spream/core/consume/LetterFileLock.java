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
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a dead letter file to one owner, over all processes.
 *
 * <p>The lock is on a file beside it: POSIX drops the locks of a process on a file as soon as the process closes any
 * descriptor of it, be it one that only read.
 */
final class LetterFileLock implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LetterFileLock.class);

    private final Path file;
    private final FileChannel lock;

    private LetterFileLock(Path file, FileChannel lock) {
        this.file = file;
        this.lock = lock;
    }

    /** Locks the file, which is created if absent; files that are created are for their owner alone. */
    static LetterFileLock acquire(Path path) throws IOException {
        create(path);
        Path file = path.toRealPath();
        Path lockPath = file.resolveSibling(file.getFileName() + ".lock");
        FileChannel lock = FileChannel.open(
                lockPath, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), ownerOnly(lockPath));
        try {
            if (lock.tryLock() == null) {
                throw inUse(file, "another process");
            }
            return new LetterFileLock(file, lock);
        } catch (OverlappingFileLockException e) {
            lock.close();
            throw inUse(file, "this process");
        } catch (Throwable t) {
            lock.close();
            throw t;
        }
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
        lock.close();
    }
}
