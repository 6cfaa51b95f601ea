package dev.spream.api.plugin;

import dev.spream.api.spi.PluginProvider;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Optional;

/** Why a class that is named as a provider cannot be one. {@link java.util.ServiceLoader} says it less well. */
final class ProviderFlaw {
    private ProviderFlaw() {}

    /** The first flaw of a class on the class path, as the end of a sentence that begins with the class's name. */
    static Optional<String> of(Class<?> type, PluginKind kind) {
        if (!kind.providerType().isAssignableFrom(type)) {
            return Optional.of(wrongType(type, kind));
        }
        if (type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            return Optional.of("is abstract; name a class that can be made");
        }
        if (!isVisible(type)) {
            return Optional.of("is not public; make it so");
        }
        return hasConstructor(type)
                ? Optional.empty()
                : Optional.of("has no public constructor without parameters; give it one that does nothing");
    }

    private static String wrongType(Class<?> type, PluginKind kind) {
        if (PluginProvider.class.isAssignableFrom(type)) {
            return Arrays.stream(PluginKind.values())
                    .filter(other -> other.providerType().isAssignableFrom(type))
                    .map(other -> "is a %s; name it in META-INF/services/%s"
                            .formatted(
                                    other.providerType().getSimpleName(),
                                    other.providerType().getName()))
                    .findFirst()
                    .orElseThrow();
        }
        return "is no %s%s; implement that interface"
                .formatted(
                        kind.providerType().getSimpleName(),
                        implementsNamesake(type, kind) ? " of this spream-api, but of another copy of it" : "");
    }

    private static boolean implementsNamesake(Class<?> type, PluginKind kind) {
        return Arrays.stream(type.getInterfaces())
                .anyMatch(face -> face.getName().equals(kind.providerType().getName()));
    }

    /** A public class that is nested in one that is not can be reached as well. */
    private static boolean isVisible(Class<?> type) {
        return Modifier.isPublic(type.getModifiers());
    }

    private static boolean hasConstructor(Class<?> type) {
        return Arrays.stream(type.getConstructors()).anyMatch(constructor -> constructor.getParameterCount() == 0);
    }
}
