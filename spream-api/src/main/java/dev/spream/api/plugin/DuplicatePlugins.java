package dev.spream.api.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Says that plug-ins of one port claim the same name. */
final class DuplicatePlugins {
    private DuplicatePlugins() {}

    /** @param name port and name, such as {@code sink csv} */
    static String problem(String name, List<Plugin<?>> namesakes) {
        return "%s is there %d times, so that none can be used: %s; %s"
                .formatted(
                        name,
                        namesakes.size(),
                        namesakes.stream().map(Plugin::origin).collect(Collectors.joining(" and ")),
                        areCopies(namesakes)
                                ? "they are copies of one jar, keep one of them"
                                : "keep one of them, or give the others other names");
    }

    private static boolean areCopies(List<Plugin<?>> namesakes) {
        try {
            Path first = Path.of(namesakes.getFirst().origin());
            for (Plugin<?> namesake : namesakes) {
                Path jar = Path.of(namesake.origin());
                if (!Files.isRegularFile(jar) || Files.mismatch(first, jar) >= 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException | InvalidPathException e) {
            return false; // what cannot be compared is not called equal
        }
    }
}
