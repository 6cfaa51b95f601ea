package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.Spream;
import dev.spream.api.tracing.SpreamTracing;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A program that has neither Micrometer nor OpenTelemetry runs as it did before. */
final class OptionalLibrariesTest {
    private static final List<String> OPTIONAL = List.of("micrometer", "opentelemetry");

    @Test
    void everything_else_loads_without_them() throws Exception {
        Path classes = Path.of(
                Spream.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (URLClassLoader bare = withoutThem();
                Stream<Path> files = Files.walk(classes)) {
            List<String> names = files.map(file -> classes.relativize(file).toString())
                    .filter(name -> name.endsWith(".class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> !name.contains(".metrics.") && !name.contains(".tracing."))
                    .toList();
            assertThat(names).hasSizeGreaterThan(50);
            for (String name : names) {
                // Resolves what it names as well.
                Class<?> loaded = Class.forName(name, true, bare);
                assertThat(loaded.getDeclaredMethods()).as(name).isNotNull();
            }
            assertThatThrownBy(() -> Class.forName(SpreamMetrics.class.getName(), true, bare)
                            .getDeclaredMethods())
                    .isInstanceOf(NoClassDefFoundError.class);
            assertThatThrownBy(() -> Class.forName(SpreamTracing.class.getName(), true, bare)
                            .getDeclaredMethods())
                    .isInstanceOf(NoClassDefFoundError.class);
        }
    }

    private static URLClassLoader withoutThem() throws IOException {
        URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> OPTIONAL.stream().noneMatch(entry::contains))
                .map(OptionalLibrariesTest::url)
                .toArray(URL[]::new);
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(entry, e);
        }
    }
}
