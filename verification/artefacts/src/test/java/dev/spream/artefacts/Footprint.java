package dev.spream.artefacts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An artefact beside what it brings along at run time.
 *
 * @param own the size of its jar, in KB
 * @param total the size of that and of every jar that comes with it, in KB
 * @param libraries their artifact ids, without versions: a newer one is no other library
 */
record Footprint(String artifact, long own, long total, List<String> libraries) {
    private static final int KB = 1000;
    private static final double TOLERANCE = 1.1;
    private static final Pattern LIBRARY =
            Pattern.compile(" +[^:]+:([^:]+):.*:[a-z]+:(.+\\.jar)( --.*)?"); // and not "(optional)"

    /** Of a module that is packaged, from the list of libraries that the build left beside its jar. */
    static Footprint measured(Pom pom) {
        Path target = pom.folder().resolve("target");
        String version = Pom.root().text("/project/version");
        try {
            long own = Files.size(target.resolve("%s-%s.jar".formatted(pom.artifact(), version)));
            Map<String, Path> libraries = libraries(target.resolve("runtime-libraries"));
            long total = own;
            for (Path jar : libraries.values()) {
                total += Files.size(jar);
            }
            return new Footprint(pom.artifact(), own / KB, total / KB, List.copyOf(libraries.keySet()));
        } catch (IOException e) {
            throw new IllegalStateException("no footprint of %s: mvn verify makes it".formatted(pom), e);
        }
    }

    private static Map<String, Path> libraries(Path list) throws IOException {
        Map<String, Path> libraries = new TreeMap<>();
        for (String line : Files.readAllLines(list)) {
            Matcher library = LIBRARY.matcher(line);
            if (library.matches()) {
                libraries.put(library.group(1), Path.of(library.group(2)));
            }
        }
        return libraries;
    }

    /** As a page has it, if it has it. */
    static Optional<Footprint> recorded(String artifact, String page) {
        Matcher row = Pattern.compile("\\| `%s` \\| ([\\d,]+) KB \\| \\d+ \\| ([\\d,]+) KB \\|\\n".formatted(artifact))
                .matcher(page);
        Matcher list = Pattern.compile("- `%s`: (.*)\\n".formatted(artifact)).matcher(page);
        if (!row.find() || !list.find()) {
            return Optional.empty();
        }
        return Optional.of(new Footprint(
                artifact,
                Long.parseLong(row.group(1).replace(",", "")),
                Long.parseLong(row.group(2).replace(",", "")),
                Stream.of(list.group(1).split(", ")).sorted().toList()));
    }

    /** Returns the differences from the record, apart from small differences of size. */
    List<String> differences(Footprint recorded) {
        List<String> differences = new ArrayList<>();
        if (!libraries.equals(recorded.libraries)) {
            differences.add("%s brings %s, not %s".formatted(artifact, libraries, recorded.libraries));
        }
        if (own > recorded.own * TOLERANCE) {
            differences.add("%s has %d KB, not %d".formatted(artifact, own, recorded.own));
        }
        if (total > recorded.total * TOLERANCE) {
            differences.add("%s has %d KB with its libraries, not %d".formatted(artifact, total, recorded.total));
        }
        return differences;
    }

    String row() {
        return String.format(Locale.ROOT, "| `%s` | %,d KB | %d | %,d KB |\n", artifact, own, libraries.size(), total);
    }

    String list() {
        return "- `%s`: %s\n".formatted(artifact, libraries.stream().collect(Collectors.joining(", ")));
    }
}
