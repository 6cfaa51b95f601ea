package dev.spream.sinks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks a file that is going to be written, before it is opened or created. */
final class WritableFile {
    /** Virtual file systems of the kernel, whose permissions are misleading. */
    private static final Set<String> WITHOUT_FILES = Set.of("proc", "sysfs");

    private WritableFile() {}

    /**
     * Returns the problems of the path of the key {@code path}. The file is created if absent; its folder must exist.
     */
    static List<String> problems(Path path) {
        return problem(path.toAbsolutePath()).map("path: "::concat).stream().toList();
    }

    private static Optional<String> problem(Path file) {
        Path folder = file.getParent();
        if (folder == null || Files.isDirectory(file)) {
            return Optional.of("%s is a folder; configure the path of a file".formatted(file));
        }
        if (!Files.isDirectory(folder)) {
            return Optional.of(
                    Files.exists(folder, LinkOption.NOFOLLOW_LINKS)
                            ? "%s cannot be written: %s is not a folder".formatted(file, folder)
                            : "the folder of %s does not exist; create it".formatted(file));
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            return Optional.of(
                    "%s is not a regular file; configure the path of a regular file or of a new one".formatted(file));
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            return Optional.of("%s may not be written by the user of this process".formatted(file));
        }
        return fileSystem(file, folder);
    }

    private static Optional<String> fileSystem(Path file, Path folder) {
        try {
            var store = Files.getFileStore(folder);
            if (store.isReadOnly() || WITHOUT_FILES.contains(store.type())) {
                return Optional.of(
                        "%s cannot be written: the file system of %s (%s) cannot contain new files; configure another path"
                                .formatted(file, folder, store.type()));
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("%s cannot be written: %s".formatted(file, e.getMessage()));
        }
    }
}
