package dev.spream.sinks;

import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.DeadLetterException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a dead letter file, which is there from then on, to one owner, over all processes. */
final class LetterFileLock implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(LetterFileLock.class);

    private final Path file;
    private final SinkFileLock lock;

    private LetterFileLock(Path file, SinkFileLock lock) {
        this.file = file;
        this.lock = lock;
    }

    /** Locks the file, which is created if absent; files that are created are for their owner alone. */
    static LetterFileLock acquire(Path path) throws IOException {
        create(path);
        Path file = path.toRealPath();
        try {
            return new LetterFileLock(file, SinkFileLock.acquire(file));
        } catch (SinkFileLock.InUseException e) {
            throw new DeadLetterException(
                    "the dead letter file %s is in use by %s, perhaps by a running subscription; one sink at a time has it open: end that one first, or keep dead letters in PostgreSQL, which processes share"
                            .formatted(file, e.owner()),
                    e);
        }
    }

    private static void create(Path path) throws IOException {
        try {
            Files.createFile(path, SinkFileLock.ownerOnly(path));
        } catch (FileAlreadyExistsException e) {
            return;
        }
        try (FileChannel folder = FileChannel.open(path.toRealPath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        } catch (IOException e) {
            log.debug("the folder of {} cannot be forced on this system", path, LoggedFailure.of(e));
        }
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
