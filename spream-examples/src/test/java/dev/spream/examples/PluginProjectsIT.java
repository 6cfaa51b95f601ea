package dev.spream.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.testkit.plugin.PluginJar;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The projects of plug-ins, which a user copies: all of them compile with their tests, and those of the guide pass. */
@Timeout(120)
@Tag("proof")
final class PluginProjectsIT {
    private static final Path PROJECTS = Path.of("plugin-projects");

    @TempDir
    private static Path folder;

    @Test
    void the_projects_compile_with_their_tests() throws Exception {
        try (Stream<Path> projects = Files.list(PROJECTS)) {
            assertThat(projects)
                    .isNotEmpty()
                    .allSatisfy(project -> assertThat(pack(project)).exists());
        }
    }

    @TestFactory
    Stream<DynamicTest> the_sink_of_the_guide_passes_its_tests() throws Exception {
        return tests("collector-sink", "com.example.collector.CollectorSinkTest");
    }

    @TestFactory
    Stream<DynamicTest> the_engine_runs_over_the_storage_of_the_guide() throws Exception {
        return tests("timed-storage", "com.example.timed.TimedStorageEngineTest");
    }

    private Stream<DynamicTest> tests(String project, String name) throws Exception {
        URL[] jar = {pack(PROJECTS.resolve(project)).toUri().toURL()};
        URLClassLoader loader = new URLClassLoader(jar, getClass().getClassLoader());
        Constructor<?> suite = loader.loadClass(name).getDeclaredConstructor();
        suite.setAccessible(true);
        return Arrays.stream(suite.getDeclaringClass().getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class))
                .map(method -> DynamicTest.dynamicTest(method.getName(), () -> run(suite, method, loader)))
                .onClose(() -> {
                    try {
                        loader.close();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    private static void run(Constructor<?> suite, Method method, ClassLoader loader)
            throws ReflectiveOperationException {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader); // finds the sink as on a class path
        try {
            method.setAccessible(true);
            method.invoke(suite.newInstance());
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Once, for all tests. */
    private static synchronized Path pack(Path project) throws IOException {
        Path packed = folder.resolve(project.getFileName() + ".jar");
        if (Files.exists(packed)) {
            return packed;
        }
        PluginJar jar = PluginJar.empty();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        for (String library : classPath.split(File.pathSeparator)) {
            jar.classPath(Path.of(library));
        }
        for (String part : List.of("main", "test")) {
            Path sources = project.resolve("src").resolve(part).resolve("java");
            for (Path file : files(sources)) {
                String name = sources.relativize(file).toString();
                jar.source(
                        name.substring(0, name.length() - ".java".length()).replace('/', '.'), Files.readString(file));
            }
        }
        Path resources = project.resolve("src/main/resources");
        for (Path file : files(resources)) {
            jar.entry(resources.relativize(file).toString(), Files.readString(file));
        }
        return jar.writeTo(packed);
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> found = Files.walk(folder)) {
            return found.filter(Files::isRegularFile).toList();
        }
    }
}
