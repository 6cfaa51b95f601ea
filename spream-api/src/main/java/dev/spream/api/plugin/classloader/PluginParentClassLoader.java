package dev.spream.api.plugin.classloader;

import dev.spream.api.spi.Ports;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The parent of the plug-in class loaders: it exposes the JDK and the packages whose types host and plug-in share.
 * Other classes and resources of the host, {@code META-INF/services} among them, are hidden.
 *
 * <p>The shared packages come from the class loader of this class: the implementations of plug-ins must have the port
 * types that are used here.
 */
public final class PluginParentClassLoader extends ClassLoader {
    private static final Set<String> SHARED_LIBRARIES =
            Set.of("org.slf4j", "org.slf4j.event", "org.slf4j.helpers", "org.slf4j.spi", "org.jspecify.annotations");
    private static final String API = "dev.spream.api";
    /** The cores with ports, by the first three parts of their package names, such as {@code dev.spream.core}. */
    private static final Set<String> CORES = Ports.ALL.stream()
            .map(port -> coreOf(port.type()))
            .filter(core -> !core.equals(API))
            .collect(Collectors.toUnmodifiableSet());

    static {
        registerAsParallelCapable();
    }

    private final ClassLoader host;

    public PluginParentClassLoader(ClassLoader host) {
        super("spream for plug-ins", getPlatformClassLoader());
        this.host = host;
    }

    /** Returns whether a class of that name is loaded only from the host, even if the plug-in contains a copy. */
    public static boolean shares(String className) {
        String packageName = className.substring(0, Math.max(0, className.lastIndexOf('.')));
        return SHARED_LIBRARIES.contains(packageName)
                || CORES.stream().anyMatch(core -> isWithin(packageName, core))
                || (isWithin(packageName, API) && !isWithin(packageName, "dev.spream.api.guice"));
    }

    private static String coreOf(Class<?> port) {
        return Arrays.stream(port.getPackageName().split("\\.")).limit(3).collect(Collectors.joining("."));
    }

    private static boolean isWithin(String packageName, String root) {
        return packageName.equals(root) || packageName.startsWith(root + ".");
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (shares(name)) {
            return host.loadClass(name);
        }
        Class<?> type = super.loadClass(name, resolve);
        if (!isOfJdk(type)) {
            throw new ClassNotFoundException(name);
        }
        return type;
    }

    /**
     * Returns whether the class is from the JDK. The platform class loader also exposes the modules of a modular
     * application.
     */
    private static boolean isOfJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        if (loader == null || loader.equals(getPlatformClassLoader())) {
            return true;
        }
        String module = type.getModule().isNamed() ? type.getModule().getName() : "";
        return module.startsWith("jdk.") || module.startsWith("java.");
    }
}
