package dev.spream.api.plugin;

import dev.spream.api.spi.Port;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The lines of a port's {@code META-INF/services} files, for error messages about them.
 *
 * @param className the provider named by a line
 * @param origin the jar or folder that contains the file
 */
record ServiceEntries(String className, String origin) {

    static List<ServiceEntries> of(Port<?> port, ClassLoader loader) throws IOException {
        List<ServiceEntries> entries = new ArrayList<>();
        for (URL file : Collections.list(loader.getResources(file(port)))) {
            String origin = origin(file, port);
            lines(file).forEach(line -> entries.add(new ServiceEntries(line, origin)));
        }
        return entries;
    }

    static String file(Port<?> port) {
        return "META-INF/services/" + port.provider().getName();
    }

    private static List<String> lines(URL file) throws IOException {
        URLConnection connection = file.openConnection();
        connection.setUseCaches(false);
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8))) {
            return reader.lines()
                    .map(line -> line.replaceFirst("#.*", "").strip())
                    .filter(line -> !line.isEmpty())
                    .toList();
        }
    }

    private static String origin(URL file, Port<?> port) {
        String text = file.toString();
        String root = text.substring(0, text.length() - file(port).length());
        return root.startsWith("jar:file:") && root.endsWith("!/")
                ? place(root.substring("jar:".length(), root.length() - "!/".length()))
                : place(root);
    }

    /** Returns the jar or folder that a class is from. */
    static String origin(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null
                ? "the class path"
                : place(source.getLocation().toString());
    }

    private static String place(String url) {
        try {
            return Path.of(new java.net.URI(url)).toString();
        } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
            return url; // a class loader with a URL scheme of its own
        }
    }
}
