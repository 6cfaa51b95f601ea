package dev.spream.api.plugin.classloader;

import dev.spream.api.spi.Ports;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The parent of the class loaders of plug-ins, which shows them of their host the JDK and the packages in which both have to
 * mean the same types. Of the host's other classes and resources, {@code META-INF/services} among them, nothing shows.
 *
 * <p>The shared packages come from the class loader that loaded this class, whichever that is: products of plug-ins have to
 * be of the port types that are used here.
 */
public final class PluginParentClassLoader extends ClassLoader {
    private static final Set<String> SHARED_LIBRARIES =
            Set.of("org.slf4j", "org.slf4j.event", "org.slf4j.helpers", "org.slf4j.spi", "org.jspecify.annotations");
    /** The cores that have ports, by the first three parts of the names of their packages, such as {@code dev.spream.core}. */
    private static final Set<String> CORES =
            Ports.ALL.stream().map(port -> coreOf(port.type())).collect(Collectors.toUnmodifiableSet());

    static {
        registerAsParallelCapable();
    }

    private final ClassLoader host;

    public PluginParentClassLoader(ClassLoader host) {
        super("spream for plug-ins", getPlatformClassLoader());
        this.host = host;
    }

    /** Returns whether a class of that name comes from the host or from nowhere, even if the plug-in carries a copy. */
    public static boolean shares(String className) {
        String packageName = className.substring(0, Math.max(0, className.lastIndexOf('.')));
        return SHARED_LIBRARIES.contains(packageName)
                || CORES.stream().anyMatch(core -> isWithin(packageName, core))
                || (isWithin(packageName, "dev.spream.api") && !isWithin(packageName, "dev.spream.api.guice"));
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

    /** The platform class loader also hands out the modules of the application, if it is made of modules. */
    private static boolean isOfJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        if (loader == null || loader.equals(getPlatformClassLoader())) {
            return true;
        }
        String module = type.getModule().isNamed() ? type.getModule().getName() : "";
        return module.startsWith("jdk.") || module.startsWith("java.");
    }
}
