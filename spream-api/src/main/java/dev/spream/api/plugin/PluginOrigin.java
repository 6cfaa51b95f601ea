package dev.spream.api.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects files and folders in which other users could place code that would run with this process's rights. File
 * systems without POSIX permissions are not checked.
 */
public final class PluginOrigin {
    private static final Logger log = LoggerFactory.getLogger(PluginOrigin.class);
    private static final Path ROOT = Path.of("/");
    private static final Path THIS_PROCESS = Path.of("/proc/self");

    private PluginOrigin() {}

    /** Returns the problem if other users may write to the file or folder, or replace it. */
    static Optional<String> openToOthers(Path file) throws IOException {
        if (!isKnown(file)) {
            return Optional.empty();
        }
        if (FilePermissions.of(file).othersCanWrite()) {
            return Optional.of(open(file, file.toRealPath()));
        }
        for (Path folder : above(file)) {
            if (FilePermissions.of(folder).othersCanReplace()) {
                return Optional.of(open(file, folder));
            }
        }
        return Optional.empty();
    }

    private static boolean isKnown(Path file) {
        boolean known = FilePermissions.areSupportedFor(file);
        if (!known) {
            log.debug(
                    "{}: its file system has no POSIX permissions; whether others may write to it is not checked",
                    file);
        }
        return known;
    }

    /** Returns the folders in which the file can be replaced: all folders of its path, link by link. */
    private static Set<Path> above(Path file) throws IOException {
        Set<Path> folders = new LinkedHashSet<>();
        follow(file.toAbsolutePath(), ROOT, folders);
        return folders;
    }

    private static Path follow(Path path, Path start, Set<Path> folders) throws IOException {
        Path at = path.isAbsolute() ? ROOT : start;
        for (Path name : path) {
            folders.add(at);
            Path next = at.resolve(name).normalize();
            at = Files.isSymbolicLink(next) ? follow(Files.readSymbolicLink(next), at, folders) : next;
        }
        return at;
    }

    private static String open(Path file, Path writable) throws IOException {
        return "%1$s is not loaded: other users may write to %2$s (%3$s), and so run code in this process; 'chmod go-w %2$s', mount it read-only, or move the plug-ins"
                .formatted(file, writable, FilePermissions.of(writable));
    }

    /** Returns the problem if the owner of a plug-in, which may change it, is not trusted. */
    static Optional<String> foreignOwner(Path file, Path folder) throws IOException {
        if (!isKnown(file)) {
            return Optional.empty();
        }
        FilePermissions found = FilePermissions.of(file);
        FilePermissions above = FilePermissions.of(folder);
        return isForeign(found, above, user()) && !Mounts.areReadOnlyAt(file)
                ? Optional.of(
                        "%1$s is not loaded: it belongs to %2$s, and not to root, the user of this process or the owner of the plug-in folder (%3$s); 'chown %3$s %4$s', or mount it read-only"
                                .formatted(file, found.owner(), above.owner(), file.toRealPath()))
                : Optional.empty();
    }

    static boolean isForeign(FilePermissions file, FilePermissions folder, String user) {
        return !file.belongsTo(user) && file.uid() != folder.uid();
    }

    /** Returns the problem if another user may have created a plug-in folder that is not configured but found. */
    static Optional<String> leftByAnotherUser(Path folder) throws IOException {
        return leftByAnotherUser(folder, "loaded", "if its code may run, configure it: plugins=%s");
    }

    /**
     * Returns the problem of a configuration file that was found rather than named, if a user other than root and that
     * of this process may have created it: it determines the code that runs.
     *
     * @param file an existing file; of a link, its own owner counts
     */
    public static Optional<String> ofFoundConfiguration(Path file) {
        try {
            return leftByAnotherUser(file, "read", "if you trust it, name it: --config=%s");
        } catch (IOException e) {
            return Optional.of("%s is not read: its owner is unknown (%s); if you trust it, name it: --config=%1$s"
                    .formatted(file, e));
        }
    }

    private static Optional<String> leftByAnotherUser(Path found, String use, String remedy) throws IOException {
        Path absolute = found.toAbsolutePath();
        Path parent = absolute.getParent();
        if (parent == null || !Files.exists(absolute) || !isKnown(absolute)) {
            return Optional.empty();
        }
        FilePermissions permissions = FilePermissions.of(absolute, LinkOption.NOFOLLOW_LINKS);
        return leftByAnotherUser(permissions, FilePermissions.of(parent), user())
                ? Optional.of(
                        "%s is not %s: it was found rather than named, and belongs to %s, neither root nor the user of this process; %s, or start in another folder"
                                .formatted(absolute, use, permissions.owner(), remedy.formatted(absolute)))
                : Optional.empty();
    }

    /**
     * Returns the user; one without a name, as in a container, is a number in the file system and unknown to the JDK.
     */
    private static String user() throws IOException {
        Optional<String> name = ProcessHandle.current().info().user();
        return name.isPresent() ? name.get() : Files.getOwner(THIS_PROCESS).getName();
    }

    /**
     * Returns whether another user may have created it. In a folder that only this user may write to, this user has, as
     * with a container's mount.
     */
    static boolean leftByAnotherUser(FilePermissions folder, FilePermissions above, String user) {
        return !folder.belongsTo(user) && (!above.belongsTo(user) || above.othersCanWrite());
    }
}
