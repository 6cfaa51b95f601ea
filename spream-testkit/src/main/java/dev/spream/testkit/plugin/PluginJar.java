package dev.spream.testkit.plugin;

import dev.spream.core.SpreamException;
import dev.spream.lock.LockStore;
import dev.spream.outbox.OutboxStore;
import dev.spream.projection.ProjectionStore;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.slf4j.Logger;

/**
 * A jar as an author of plug-ins builds it, outside this build: sources are compiled only against the cores,
 * spream-api,
 * slf4j and the named jars. Confined to one thread.
 *
 * <pre>{@code
 * PluginJar.empty()
 *         .source("com.example.CsvSinkProvider", "…")
 *         .service(ConsumerProvider.class, "com.example.CsvSinkProvider")
 *         .writeTo(folder.resolve("csv.jar"));
 * }</pre>
 */
public final class PluginJar {
    private static final int MAJOR_VERSION_LOW_BYTE = 7; // JVMS 4.1: magic, minor_version, major_version

    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, byte[]> entries = new TreeMap<>();
    private final List<Path> classPath = new ArrayList<>();
    private Predicate<String> kept = className -> true;
    private int classFileVersion;

    private PluginJar() {}

    public static PluginJar empty() {
        return new PluginJar();
    }

    /** Compiles a class into the jar. */
    public PluginJar source(String className, String code) {
        sources.put(className, code);
        return this;
    }

    /** Registers a class as a provider; several calls for one type are combined. */
    public PluginJar service(Class<?> type, String className) {
        return service(type.getName(), className);
    }

    /** Registers a class for {@link java.util.ServiceLoader} under a type. */
    public PluginJar service(String type, String className) {
        byte[] line = (className + "\n").getBytes(StandardCharsets.UTF_8);
        entries.merge(
                "META-INF/services/" + type,
                line,
                (before, added) -> (text(before) + text(added)).getBytes(StandardCharsets.UTF_8));
        return this;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Adds a file. */
    public PluginJar entry(String name, String content) {
        entries.put(name, content.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** Adds a class of this process, as in a fat jar. */
    public PluginJar copyOf(Class<?> type) {
        String name = type.getName().replace('.', '/') + ".class";
        try (var in = type.getResourceAsStream("/" + name)) {
            entries.put(name, in.readAllBytes());
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compiles against this jar too, without including it. */
    public PluginJar classPath(Path jar) {
        classPath.add(jar);
        return this;
    }

    /** Compiles the sources, and puts only some of the classes into the jar. */
    public PluginJar keep(Predicate<String> className) {
        kept = className;
        return this;
    }

    /** Sets the version in the header of the class files. */
    public PluginJar classFileVersion(int major) {
        classFileVersion = major;
        return this;
    }

    /** Writes the jar, replacing an existing one; missing folders above it are created. */
    public Path writeTo(Path jar) {
        try {
            Files.createDirectories(jar.toAbsolutePath().getParent());
            Map<String, byte[]> all = new TreeMap<>(entries);
            all.putAll(compiled());
            try (OutputStream out = Files.newOutputStream(jar);
                    JarOutputStream zip = new JarOutputStream(out)) {
                for (Map.Entry<String, byte[]> entry : all.entrySet()) {
                    zip.putNextEntry(new JarEntry(entry.getKey()));
                    zip.write(entry.getValue());
                    zip.closeEntry();
                }
            }
            return jar;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, byte[]> compiled() throws IOException {
        if (sources.isEmpty()) {
            return Map.of();
        }
        Path work = Files.createTempDirectory("plugin-jar");
        try {
            Path classes = Files.createDirectory(work.resolve("classes"));
            compile(writeSources(work.resolve("sources")), classes);
            return read(classes);
        } finally {
            delete(work);
        }
    }

    private List<Path> writeSources(Path folder) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = folder.resolve(source.getKey().replace('.', '/') + ".java");
            Files.createDirectories(file.getParent());
            files.add(Files.writeString(file, source.getValue()));
        }
        return files;
    }

    private void compile(List<Path> files, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter messages = new StringWriter();
        List<String> options =
                List.of("-d", classes.toString(), "-classpath", classPathText(), "--release", "21", "-proc:none");
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            var units = manager.getJavaFileObjectsFromPaths(files);
            if (!compiler.getTask(messages, manager, null, options, null, units).call()) {
                throw new IllegalArgumentException("the sources of the jar do not compile:\n" + messages);
            }
        }
    }

    private String classPathText() {
        return Stream.concat(classPath.stream(), ofHost().stream())
                .map(Path::toString)
                .collect(Collectors.joining(System.getProperty("path.separator")));
    }

    /** Returns the class path of plug-ins in a host: the cores, spream-api and the libraries of both. */
    public static List<Path> ofHost() {
        return Stream.of(
                        provider(),
                        SpreamException.class,
                        LockStore.class,
                        OutboxStore.class,
                        ProjectionStore.class,
                        Logger.class,
                        NullMarked.class)
                .map(PluginJar::home)
                .toList();
    }

    /**
     * Returns a class of spream-api, by reflection since the test kit does not depend on it: the tests of spream-api
     * use the test kit.
     */
    private static Class<?> provider() {
        try {
            return Class.forName("dev.spream.api.spi.PluginProvider", false, PluginJar.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(
                    "spream-api is not on the class path, and plug-ins are compiled against it", e);
        }
    }

    /** Returns the jar or folder of a class of this process. */
    public static Path home(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private Map<String, byte[]> read(Path classes) throws IOException {
        Map<String, byte[]> read = new TreeMap<>();
        for (Path file : filesIn(classes)) {
            String name = classes.relativize(file).toString().replace('\\', '/');
            if (kept.test(name.replace('/', '.').replaceFirst("\\.class$", ""))) {
                byte[] bytes = Files.readAllBytes(file);
                if (classFileVersion > 0) {
                    bytes[MAJOR_VERSION_LOW_BYTE] = (byte) classFileVersion;
                }
                read.put(name, bytes);
            }
        }
        return read;
    }

    private static List<Path> filesIn(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }
}
