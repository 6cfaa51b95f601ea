import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.ImportOrderer;
import com.palantir.javaformat.java.JavaFormatterOptions;
import com.palantir.javaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Checks that every Java file below a folder is formatted, and rewrites those that are not when FORMAT_WRITE is set.
 * The build runs it through the toolchain's JDK, so that it does not matter which JDK runs Maven.
 */
final class Format {
    public static void main(String[] args) throws IOException {
        Path root = Path.of(args[0]);
        boolean write = System.getenv("FORMAT_WRITE") != null;
        List<Path> sources;
        try (var files = Files.walk(root)) {
            sources = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !root.relativize(file).toString().matches("(.*[/\\\\])?(target|\\.git)[/\\\\].*"))
                    .sorted()
                    .toList();
        }
        List<Path> unformatted = sources.parallelStream()
                .filter(file -> !isFormatted(root, file, write))
                .map(root::relativize)
                .toList();
        if (write || unformatted.isEmpty()) {
            System.out.printf("format: %d files, %d rewritten%n", sources.size(), unformatted.size());
            return;
        }
        unformatted.forEach(file -> System.err.println("format: not formatted: " + file));
        System.err.println("format: run  FORMAT_WRITE=true mvn -Pchecks -N validate  to format them");
        System.exit(1);
    }

    private static boolean isFormatted(Path root, Path file, boolean write) {
        try {
            String source = Files.readString(file);
            String formatted = format(source);
            if (write && !formatted.equals(source)) {
                Files.writeString(file, formatted);
            }
            return formatted.equals(source);
        } catch (FormatterException e) {
            System.err.printf("format: %s does not parse: %s%n", root.relativize(file), e.getMessage());
            System.exit(1);
            throw new IllegalStateException(e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String format(String source) throws FormatterException {
        Formatter formatter = Formatter.createFormatter(JavaFormatterOptions.builder()
                .style(JavaFormatterOptions.Style.PALANTIR)
                .formatJavadoc(false)
                .build());
        String imports = ImportOrderer.reorderImports(
                RemoveUnusedImports.removeUnusedImports(source), JavaFormatterOptions.Style.PALANTIR);
        return formatter.formatSource(imports);
    }
}
