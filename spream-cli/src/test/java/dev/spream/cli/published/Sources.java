package dev.spream.cli.published;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The types in the main sources of all published modules. */
final class Sources {
    private static final Path ROOT = Path.of("..");
    private static final Path MAIN = Path.of("src/main/java");

    private Sources() {}

    /** The packages that have a type of each simple name. */
    static Map<String, Set<String>> packagesByType() {
        Map<String, Set<String>> packages = new TreeMap<>();
        for (Path module : modules()) {
            Path main = module.resolve(MAIN);
            try (Stream<Path> files = Files.walk(main)) {
                files.map(main::relativize)
                        .map(Path::toString)
                        .filter(file -> file.endsWith(".java"))
                        .forEach(file -> add(packages, file.substring(0, file.length() - ".java".length())));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return packages;
    }

    private static List<Path> modules() {
        try (Stream<Path> folders = Files.list(ROOT)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve(MAIN)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void add(Map<String, Set<String>> packages, String type) {
        int name = type.lastIndexOf('/') + 1;
        packages.computeIfAbsent(type.substring(name), simple -> new TreeSet<>())
                .add(type.substring(0, name - 1).replace('/', '.'));
    }
}
