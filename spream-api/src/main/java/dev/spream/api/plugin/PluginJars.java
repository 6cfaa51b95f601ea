package dev.spream.api.plugin;

import java.nio.file.Path;
import java.util.List;

/**
 * The jars of one plug-in of the folder, or of several that share a class loader.
 *
 * @param path a jar, or a folder of jars
 * @param jars that jar, or the folder's, ordered by name; at least one
 */
record PluginJars(Path path, List<Path> jars) {
    PluginJars {
        jars = List.copyOf(jars);
    }
}
