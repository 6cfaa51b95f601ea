package dev.spream.sinks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Keeps a file, and those that were put aside for it, to one owner, over all processes. */
final class LineFileLock implements AutoCloseable {
    private final Path file;
    private final SinkFileLock lock;

    private LineFileLock(Path file, SinkFileLock lock) {
        this.file = file;
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
        return new LineFileLock(file, SinkFileLock.acquire(file));
    }

    /** The file, by the real path of its folder. */
    Path file() {
        return file;
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
