package dev.spream.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The Markdown pages of the project: README and its like, and the guides. */
final class Documentation {
    static final Path ROOT = Path.of("..");
    static final Path README = ROOT.resolve("README.md");

    private static final List<String> PAGES =
            List.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "spream-sink-pubsub/README.md");

    private Documentation() {}

    static List<Path> pages() throws IOException {
        return Stream.concat(PAGES.stream().map(ROOT::resolve), guides().stream())
                .toList();
    }

    static Path guide(String name) {
        return ROOT.resolve("docs").resolve(name + ".md");
    }

    private static List<Path> guides() throws IOException {
        try (Stream<Path> files = Files.list(ROOT.resolve("docs"))) {
            return files.filter(file -> file.toString().endsWith(".md"))
                    .sorted()
                    .toList();
        }
    }

    /** The code blocks of a page that name this language. */
    static List<String> blocks(Path page, String language) {
        return Pattern.compile("^```%s\\n(.*?)^```$".formatted(language), Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(text(page))
                .results()
                .map(block -> block.group(1))
                .toList();
    }

    static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same lines without their indentation. */
    static String unindented(String text) {
        return text.lines().map(line -> line.strip() + "\n").collect(Collectors.joining());
    }
}
