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

/** The sources of the examples and of all published modules, and of the verification modules. */
final class Sources {
    private static final Path ROOT = Path.of("..");
    private static final Path MAIN = Path.of("src/main/java");
    private static final Path TEST = Path.of("src/test/java");
    private static final String JAVA = ".java";

    private Sources() {}

    /** The text of each file of main code, by its path from the root. */
    static Map<Path, String> texts() {
        return texts(folders(ROOT, MAIN));
    }

    /** The text of each file of test code, by its path from the root: tests of all modules, and the verification modules. */
    static Map<Path, String> testTexts() {
        return texts(Stream.of(
                        folders(ROOT, TEST),
                        folders(ROOT.resolve("spream-examples/plugin-projects"), TEST),
                        folders(ROOT.resolve("verification"), Path.of("src")))
                .flatMap(List::stream)
                .toList());
    }

    private static Map<Path, String> texts(List<Path> folders) {
        Map<Path, String> texts = new TreeMap<>();
        for (Path folder : folders) {
            try (Stream<Path> files = Files.walk(folder)) {
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

    private static List<Path> folders(Path root, Path inModule) {
        try (Stream<Path> modules = Files.list(root)) {
            return modules.map(module -> module.resolve(inModule))
                    .filter(Files::isDirectory)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
