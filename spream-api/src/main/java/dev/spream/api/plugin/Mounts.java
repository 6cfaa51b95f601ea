package dev.spream.api.plugin;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The mounts visible to this process, as listed by Linux. A file system may be mounted at several places, read-only at
 * some of them, which {@link java.nio.file.FileStore} does not report.
 */
final class Mounts {
    private static final Path LIST = Path.of("/proc/self/mountinfo");
    private static final Charset OF_PATHS = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    /**
     * See proc_pid_mountinfo(5): identifier, parent, device, root, mount point, options, other fields, "-", fields of
     * the file system.
     */
    private static final Pattern LINE =
            Pattern.compile("(\\d+) (\\d+) \\S+ \\S+ (\\S+) (\\S+)(?: \\S+)*? - \\S+ \\S* (\\S+)");

    private static final Pattern ESCAPED = Pattern.compile("\\\\([0-7]{3})");

    private final List<Mount> mounts;

    private Mounts(Stream<String> lines) {
        mounts = lines.flatMap(line -> Mount.parse(line).stream()).toList();
    }

    /**
     * Returns whether the mount is read-only for this process. Other mounts of the same file system may be writable.
     */
    static boolean areReadOnlyAt(Path file) throws IOException {
        Optional<Boolean> listed = Files.isReadable(LIST)
                ? parse(new String(Files.readAllBytes(LIST), OF_PATHS))
                        .readOnly(file.toRealPath().toString())
                : Optional.empty();
        return listed.isPresent() ? listed.get() : Files.getFileStore(file).isReadOnly();
    }

    static Mounts parse(String list) {
        return new Mounts(list.lines());
    }

    /** Resolves the path mount by mount as the kernel does, since a later mount may hide an earlier, deeper one. */
    Optional<Boolean> readOnly(String realPath) {
        Optional<Mount> mount = mounts.stream().filter(this::isRoot).findFirst();
        for (Optional<Mount> next = mount; next.isPresent(); next = below(next.get(), realPath)) {
            mount = next;
        }
        return mount.map(Mount::readOnly);
    }

    private boolean isRoot(Mount mount) {
        return mount.point.equals("/") && mounts.stream().noneMatch(other -> other.carries(mount));
    }

    private Optional<Mount> below(Mount mount, String realPath) {
        return mounts.stream()
                .filter(other -> mount.carries(other) && other.holds(realPath))
                .min(Comparator.comparingInt(other -> other.point.length()));
    }

    private record Mount(String id, String parent, String point, boolean readOnly) {
        static Optional<Mount> parse(String line) {
            Matcher matcher = LINE.matcher(line);
            return matcher.matches()
                    ? Optional.of(new Mount(
                            matcher.group(1),
                            matcher.group(2),
                            unescaped(matcher.group(3)),
                            isReadOnly(matcher.group(4)) || isReadOnly(matcher.group(5))))
                    : Optional.empty();
        }

        private static String unescaped(String point) {
            return ESCAPED.matcher(point)
                    .replaceAll(escaped ->
                            Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(escaped.group(1), 8))));
        }

        private static boolean isReadOnly(String options) {
            return List.of(options.split(",")).contains("ro");
        }

        boolean carries(Mount other) {
            return id.equals(other.parent) && !id.equals(other.id);
        }

        boolean holds(String path) {
            return path.equals(point) || path.startsWith(point.endsWith("/") ? point : point + "/");
        }
    }
}
