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

/** The main sources of the examples and of all published modules. */
final class Sources {
    private static final Path ROOT = Path.of("..");
    private static final Path MAIN = Path.of("src/main/java");
    private static final String JAVA = ".java";

    private Sources() {}

    /** The text of each file, by its path from the root. */
    static Map<Path, String> texts() {
        Map<Path, String> texts = new TreeMap<>();
        for (Path main : folders()) {
            try (Stream<Path> files = Files.walk(main)) {
                for (Path file :
                        (Iterable<Path>) files.filter(file -> file.toString().endsWith(JAVA))::iterator) {
                    texts.put(ROOT.relativize(file), Files.readString(file));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return texts;
    }

    /** The packages that have a type of each simple name. */
    static Map<String, Set<String>> packagesByType() {
        Map<String, Set<String>> packages = new TreeMap<>();
        for (Path file : texts().keySet()) {
            String name = file.getFileName().toString();
            int depth = file.getNameCount();
            packages.computeIfAbsent(name.substring(0, name.length() - JAVA.length()), simple -> new TreeSet<>())
                    .add(file.subpath(1 + MAIN.getNameCount(), depth - 1)
                            .toString()
                            .replace('/', '.'));
        }
        return packages;
    }

    private static List<Path> folders() {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve(MAIN))
                    .filter(Files::isDirectory)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
