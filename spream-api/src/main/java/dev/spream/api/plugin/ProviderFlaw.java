package dev.spream.api.plugin;

import dev.spream.api.spi.Port;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The reason that a class named as a provider cannot be one, with a better message than that of {@link
 * java.util.ServiceLoader}.
 */
final class ProviderFlaw {
    private ProviderFlaw() {}

    /**
     * Returns the first flaw of a class on the class path, as the rest of a sentence that begins with its name.
     *
     * @param ports the ports that it may be a provider of although it is registered for {@code port}
     */
    static Optional<String> of(Class<?> type, Port<?> port, List<Port<?>> ports) {
        if (!port.provider().isAssignableFrom(type)) {
            return Optional.of(wrongType(type, port, ports));
        }
        if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            return Optional.of("is abstract; name a concrete class");
        }
        if (!Modifier.isPublic(type.getModifiers())) { // a public class nested in a package-private one is accessible
            return Optional.of("is not public; make it so");
        }
        return Arrays.stream(type.getConstructors()).anyMatch(constructor -> constructor.getParameterCount() == 0)
                ? Optional.empty()
                : Optional.of("has no public constructor without parameters; give it one that does nothing");
    }

    private static String wrongType(Class<?> type, Port<?> port, List<Port<?>> ports) {
        return ports.stream()
                .map(Port::provider)
                .filter(other -> other.isAssignableFrom(type))
                .map(other ->
                        "is a %s; name it in META-INF/services/%s".formatted(other.getSimpleName(), other.getName()))
                .findFirst()
                .orElseGet(() -> "does not implement %s%s; implement that interface"
                        .formatted(
                                port.provider().getSimpleName(),
                                implementsNamesake(type, port)
                                        ? " of this spream-api, but that of another copy of it"
                                        : ""));
    }

    private static boolean implementsNamesake(Class<?> type, Port<?> port) {
        return Arrays.stream(type.getInterfaces())
                .anyMatch(face -> face.getName().equals(port.provider().getName()));
    }
}
