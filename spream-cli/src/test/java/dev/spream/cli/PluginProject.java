package dev.spream.cli;

import dev.spream.testkit.plugin.PluginJar;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/** A plug-in as its author has it, in the folders that Maven wants, and what can be done with jars. */
final class PluginProject {
    /** The libraries that the launcher puts on the class path. */
    private static final Path LIBRARIES = Path.of("target/lib");

    private PluginProject() {}

    /** Compiles the project against spream-api, what that needs, and its own libraries; and packs it. */
    static void pack(Path project, Path jar, List<Path> libraries) throws IOException {
        PluginJar packed = PluginJar.empty();
        libraries.forEach(packed::classPath);
        Path sources = project.resolve("src/main/java");
        for (Path file : files(sources)) {
            String name = name(sources, file);
            packed.source(
                    name.substring(0, name.length() - ".java".length()).replace('/', '.'), Files.readString(file));
        }
        Path resources = project.resolve("src/main/resources");
        for (Path file : files(resources)) {
            packed.entry(name(resources, file), Files.readString(file));
        }
        packed.writeTo(jar);
    }

    /** The one of spream's own libraries whose file begins with that name and its version. */
    static Path library(String name) throws IOException {
        try (Stream<Path> found = Files.list(LIBRARIES)) {
            return found.filter(file -> file.getFileName().toString().matches(name + "-\\d.*\\.jar"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Copies a jar, but for the services that it offers. */
    static void copyWithoutServices(Path jar, Path target) throws IOException {
        try (JarFile from = new JarFile(jar.toFile());
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(target))) {
            for (JarEntry entry : from.stream()
                    .filter(entry -> !entry.getName().startsWith("META-INF/services/"))
                    .toList()) {
                out.putNextEntry(new JarEntry(entry.getName()));
                try (InputStream content = from.getInputStream(entry)) {
                    content.transferTo(out);
                }
            }
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> found = Files.walk(folder)) {
            return found.filter(Files::isRegularFile).toList();
        }
    }

    private static String name(Path folder, Path file) {
        return folder.relativize(file).toString().replace(File.separatorChar, '/');
    }
}
