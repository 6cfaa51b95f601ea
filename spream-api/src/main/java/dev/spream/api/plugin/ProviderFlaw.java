package dev.spream.api.plugin;

import dev.spream.api.spi.Port;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The flaw of a class that is named as a provider and cannot be one. {@link java.util.ServiceLoader} says it less well. */
final class ProviderFlaw {
    private ProviderFlaw() {}

    /**
     * The first flaw of a class on the class path, as the end of a sentence that begins with the class's name.
     *
     * @param ports of which it may be a provider, though it is named as one of {@code port}
     */
    static Optional<String> of(Class<?> type, Port<?> port, List<Port<?>> ports) {
        if (!port.provider().isAssignableFrom(type)) {
            return Optional.of(wrongType(type, port, ports));
        }
        if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            return Optional.of("is abstract; name a class that can be made");
        }
        if (!Modifier.isPublic(
                type.getModifiers())) { // one that is nested in a class that is not can be reached as well
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
                .orElseGet(() -> "is no %s%s; implement that interface"
                        .formatted(
                                port.provider().getSimpleName(),
                                implementsNamesake(type, port)
                                        ? " of this spream-api, but of another copy of it"
                                        : ""));
    }

    private static boolean implementsNamesake(Class<?> type, Port<?> port) {
        return Arrays.stream(type.getInterfaces())
                .anyMatch(face -> face.getName().equals(port.provider().getName()));
    }
}
