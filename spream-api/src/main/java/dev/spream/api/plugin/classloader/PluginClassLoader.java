package dev.spream.api.plugin.classloader;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The class loader of one plug-in of the folder: the classes visible through {@link PluginParentClassLoader}, and those
 * of its jars. Closing it closes the jars.
 *
 * <p>Resources bypass the JDK's cache of open jars. The cache would keep jars open after close, and is shared: the
 * first close would close the jar for another registry of the same folder.
 */
public final class PluginClassLoader extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    /** @param path the jar, or the folder of jars */
    public PluginClassLoader(Path path, List<Path> jars, PluginParentClassLoader parent) {
        super(
                String.valueOf(path.getFileName()),
                jars.stream().map(PluginClassLoader::url).toArray(URL[]::new),
                parent);
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        if (PluginParentClassLoader.shares(name)) {
            throw new ClassNotFoundException(name);
        }
        return super.findClass(name);
    }

    @Override
    public @Nullable URL findResource(String name) {
        URL resource = super.findResource(name);
        return resource == null ? null : UncachedConnections.to(resource);
    }

    @Override
    public Enumeration<URL> findResources(String name) throws IOException {
        return Collections.enumeration(Collections.list(super.findResources(name)).stream()
                .map(UncachedConnections::to)
                .toList());
    }

    /** Opens URLs like the JDK, but without its cache of open jars. */
    private static final class UncachedConnections extends URLStreamHandler {
        static URL to(URL target) {
            try {
                return URL.of(target.toURI(), new UncachedConnections());
            } catch (URISyntaxException | MalformedURLException e) {
                throw new IllegalStateException("the JDK created a URL that it cannot read: " + target, e);
            }
        }

        /** Opens the given URL, which may be relative to the one that had this handler first. */
        @Override
        @SuppressWarnings("deprecation") // no other constructor accepts text that is not a valid URI
        protected URLConnection openConnection(URL url) throws IOException {
            URLConnection connection = new URL(url.toExternalForm()).openConnection();
            connection.setUseCaches(false);
            return connection;
        }
    }
}
