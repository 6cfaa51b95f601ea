package dev.spream.sinks;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Appends changes to a file, and renames the file and begins a new one when a rotation is due. A change is written at
 * once and made durable by {@link #flush}, with all earlier ones. A rotation that fails halfway is finished by the next
 * call; a renamed file is durable already. Once something could not be forced, every call fails until the file is
 * reopened.
 *
 * <p>Safe for use by many threads. Interrupts do not damage files: no channel is used for writing, and folders are
 * forced by {@code flush} alone, which is never interrupted.
 */
final class JsonlSink implements Consumer, AutoCloseable {
    private final ExclusiveFileLock owned;
    private final Rotation rotation;
    private final ChangeLines format;
    private final InstantSource clock;
    private final Disk disk;
    private final RotatedFiles rotated;
    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable LineFile current; // guarded by lock, like all below; null after a failed rotation
    private boolean closed;

    private final ReentrantLock forcingFolder = new ReentrantLock(); // acquired after lock, where both are held
    private volatile boolean folderChanged = true; // a file was created or renamed and the folder not forced since
    private volatile @Nullable IOException broken;

    private JsonlSink(ExclusiveFileLock owned, Rotation rotation, ChangeLines format, InstantSource clock, Disk disk) {
        this.owned = owned;
        this.rotation = rotation;
        this.format = format;
        this.clock = clock;
        this.disk = disk;
        this.rotated = new RotatedFiles(owned.file());
    }

    /** Opens the file, which is created if absent, repairs its end, and locks it against other writers. */
    static JsonlSink open(Path path, Rotation rotation, ChangeLines format, InstantSource clock) throws IOException {
        return open(path, rotation, format, clock, Disk.REAL);
    }

    static JsonlSink open(Path path, Rotation rotation, ChangeLines format, InstantSource clock, Disk disk)
            throws IOException {
        ExclusiveFileLock owned = LineFile.lock(path);
        try {
            JsonlSink sink = new JsonlSink(owned, rotation, format, clock, disk);
            sink.current = LineFile.open(owned.file(), format, clock, disk);
            sink.prune();
            return sink;
        } catch (Throwable t) {
            owned.close();
            throw t;
        }
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws IOException, InterruptedException {
        byte[] line = format.of(change, delivery);
        lock.lockInterruptibly();
        try {
            LineFile file = usable();
            if (!file.isEmpty() && (rotation.isTooLarge(file.size() + line.length) || isTooOld(file))) {
                file = rotate(file);
            }
            file.append(line);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Forces the file while other threads continue to write; what they write meanwhile may or may not be durable then.
     */
    @Override
    public void flush() throws IOException {
        LineFile file;
        lock.lock();
        try {
            file = usable();
            if (!file.isEmpty() && isTooOld(file)) {
                file = rotate(file);
            }
        } finally {
            lock.unlock();
        }
        durably(file::force);
        forceFolder();
    }

    /** Forces, and records a failure, after which every call fails. */
    private void durably(Forcing forcing) throws IOException {
        try {
            forcing.run();
        } catch (IOException e) {
            broken = e;
            throw e;
        }
    }

    private interface Forcing {
        void run() throws IOException;
    }

    /**
     * Forces the folder if it has changed, waiting for a thread that is doing so: every caller must return only when
     * the change is durable.
     */
    private void forceFolder() throws IOException {
        forcingFolder.lock();
        try {
            LineFile.requireUnbroken(owned.file(), broken);
            if (folderChanged) {
                folderChanged = false;
                durably(() -> disk.forceFolder(owned.file().resolveSibling(".")));
            }
        } finally {
            forcingFolder.unlock();
        }
    }

    private boolean isTooOld(LineFile file) {
        return rotation.isTooOld(Duration.between(file.begunAt(), clock.instant()));
    }

    private LineFile usable() throws IOException {
        if (closed) {
            throw new IOException("the sink on %s is closed".formatted(owned.file()));
        }
        LineFile.requireUnbroken(owned.file(), broken);
        return current == null ? begin() : current;
    }

    private LineFile begin() throws IOException {
        try {
            LineFile file = LineFile.open(owned.file(), format, clock, disk);
            current = file;
            return file;
        } finally {
            folderChanged = true; // afterwards: a concurrent flush would otherwise consider the change its own
        }
    }

    /** Renames the file, which is then durable, and begins a new one. */
    private LineFile rotate(LineFile file) throws IOException {
        durably(file::close);
        current = null;
        try {
            rotated.rotate(clock.instant());
        } finally {
            folderChanged = true;
        }
        prune();
        return begin();
    }

    private void prune() {
        rotation.keep().ifPresent(rotated::prune);
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try (ExclusiveFileLock released = closed ? null : owned) {
            closed = true;
            LineFile file = current;
            current = null;
            if (file != null) {
                file.close();
            }
            if (released != null) {
                forceFolder();
            }
        } finally {
            lock.unlock();
        }
    }
}
