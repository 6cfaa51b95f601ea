package dev.spream.sink.files;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;

/**
 * A folder of the local disk, or of a file system that several machines mount and that creates hard links atomically, such
 * as NFS. An object is written to a new file in {@code temporary}, forced to disk, and linked or renamed to its name; then
 * the folder is forced. A crash leaves at most a file in {@code temporary}. Files are created with permissions for their
 * owner alone.
 */
public final class LocalStore implements ObjectStore {
    private static final String TEMPORARY = "temporary";

    private final Path root;
    private final boolean isPosix;

    private LocalStore(Path root) {
        this.root = root.toAbsolutePath().normalize();
        this.isPosix = root.getFileSystem().supportedFileAttributeViews().contains("posix");
    }

    /**
     * Opens a folder.
     *
     * @throws ObjectStoreException if it does not exist
     */
    public static LocalStore open(Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new ObjectStoreException(
                    "the folder %s does not exist; create it".formatted(folder.toAbsolutePath()), false, null);
        }
        return new LocalStore(folder);
    }

    @Override
    public void put(String name, byte[] content) {
        write(name, content, (temporary, file) -> {
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            return true;
        });
    }

    @Override
    public boolean putIfAbsent(String name, byte[] content) {
        return write(name, content, (temporary, file) -> {
            try {
                Files.createLink(file, temporary);
                return true;
            } catch (FileAlreadyExistsException e) {
                return false;
            } finally {
                Files.deleteIfExists(temporary);
            }
        });
    }

    private boolean write(String name, byte[] content, Publishing publishing) {
        Path file = file(name);
        return calling("written", file, () -> {
            boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
            try {
                createFolders(parent(file));
                Path temporary = createFolders(root.resolve(TEMPORARY))
                        .resolve(UUID.randomUUID().toString());
                writeDurably(temporary, content);
                boolean published = publishing.publish(temporary, file);
                forceFolder(parent(file));
                return published;
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        });
    }

    private interface Publishing {
        boolean publish(Path temporary, Path file) throws IOException;
    }

    private void writeDurably(Path file, byte[] content) throws IOException {
        Files.createFile(file, attributes("rw-------"));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /** Creates the folder and those above it, up to the root, which exists; each is durable. */
    private Path createFolders(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            if (!Files.isDirectory(root)) {
                throw new NoSuchFileException(root.toString());
            }
            createFolders(parent(folder));
            try {
                Files.createDirectory(folder, attributes("rwx------"));
            } catch (FileAlreadyExistsException e) {
                if (!Files.isDirectory(folder)) {
                    throw e;
                }
            }
            forceFolder(parent(folder));
        }
        return folder;
    }

    private static Path parent(Path file) {
        return requireNonNull(file.getParent(), "parent"); // every path is below the root
    }

    private FileAttribute<?>[] attributes(String permissions) {
        return isPosix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private void forceFolder(Path folder) throws IOException {
        if (isPosix) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    @Override
    public Optional<byte[]> get(String name) {
        Path file = file(name);
        return calling("read", file, () -> {
            try {
                return Optional.of(Files.readAllBytes(file));
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
        });
    }

    @Override
    public List<String> list(String prefix) {
        Path folder = file(prefix);
        return calling("listed", folder, () -> {
            if (!Files.isDirectory(folder)) {
                return List.of();
            }
            List<Path> files = new ArrayList<>();
            Files.walkFileTree(folder, new Listing(files));
            return files.stream()
                    .map(file -> root.relativize(file).toString().replace('\\', '/'))
                    .sorted()
                    .toList();
        });
    }

    /** Collects the files of a folder, but for those that another process deletes meanwhile. */
    private static final class Listing extends SimpleFileVisitor<Path> {
        private final List<Path> files;

        Listing(List<Path> files) {
            this.files = files;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (Files.isRegularFile(file)) {
                files.add(file);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
            }
            throw e;
        }
    }

    @Override
    public void delete(String name) {
        Path file = file(name);
        calling("deleted", file, () -> Files.deleteIfExists(file));
    }

    private Path file(String name) {
        Path file = root.resolve(name).normalize();
        if (!file.startsWith(root)) {
            throw new IllegalArgumentException("%s is outside of %s".formatted(name, root));
        }
        return file;
    }

    private static <T> T calling(String done, Path file, Callable<T> call) {
        try {
            return call.call();
        } catch (AccessDeniedException | NotDirectoryException | UnsupportedOperationException e) {
            throw new ObjectStoreException(
                    "%s may not be %s by the user of this process, or the file system does not support it: %s"
                            .formatted(file, done, e.getMessage()),
                    false,
                    e);
        } catch (NoSuchFileException e) {
            throw new ObjectStoreException(
                    "%s could not be %s: %s is missing; create it, and restart".formatted(file, done, e.getMessage()),
                    false,
                    e);
        } catch (FileSystemException e) {
            throw new ObjectStoreException("%s could not be %s: %s".formatted(file, done, e.getMessage()), true, e);
        } catch (IOException e) { // such as a full disk
            throw new ObjectStoreException("%s could not be %s: %s".formatted(file, done, e.getMessage()), true, e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
        return root.toString();
    }
}
