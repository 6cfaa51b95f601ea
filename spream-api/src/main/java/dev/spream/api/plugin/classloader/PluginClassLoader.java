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
 * The class loader of one plug-in of the folder: what {@link PluginParentClassLoader} shows, and else what is in its jars.
 * Closing it closes the jars.
 *
 * <p>Resources are read past the cache that the JDK keeps of open jars. It would hold them open beyond the close, and it is
 * shared: the first close would close the jar for another registry of the same folder.
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

    /** Opens URLs as the JDK does, but without its cache of open jars. */
    private static final class UncachedConnections extends URLStreamHandler {
        static URL to(URL target) {
            try {
                return URL.of(target.toURI(), new UncachedConnections());
            } catch (URISyntaxException | MalformedURLException e) {
                throw new IllegalStateException("the JDK made a URL that it cannot read: " + target, e);
            }
        }

        /** Of the URL that is asked for, which may be relative to the one that had this handler first. */
        @Override
        @SuppressWarnings("deprecation") // there is no other way from a text that need not be a URI
        protected URLConnection openConnection(URL url) throws IOException {
            URLConnection connection = new URL(url.toExternalForm()).openConnection();
            connection.setUseCaches(false);
            return connection;
        }
    }
}
