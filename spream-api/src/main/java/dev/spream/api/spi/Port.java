package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * A port that plug-ins fill, as used by discovery, configuration and calls into plug-ins. Each is declared by its
 * provider interface, as {@link ConsumerProvider#PORT} is, and registered in {@link Ports}. Immutable.
 *
 * @param choice the key that selects a plug-in by name, and the prefix of the keys of these plug-ins
 * @param type the interface that a plug-in implements. Objects of other interfaces belong to the plug-in if its methods
 *     return them, and to the host if they are passed to it
 * @param provider the service that {@link java.util.ServiceLoader} looks for
 * @param need the behaviour if the configuration names none
 * @param advice the description of the plug-in in error messages, such as {@code the lock store, such as jdbc}
 * @param modules the optional modules of spream that contain a plug-in, by the plug-in's name
 * @param <T> the port
 */
public record Port<T>(
        ConfigKey<String> choice,
        Class<? super T> type,
        Class<? extends PluginProvider<T>> provider,
        Need need,
        String advice,
        Map<String, String> modules) {

    /** The behaviour of a subscription if the configuration names no plug-in. */
    public enum Need {
        /** The only plug-in found is used, except a storage that keeps nothing. */
        ONE,
        /** The subscription does not start, since changes must not be sent to an unintended place. */
        NAMED,
        /** The subscription runs without one. */
        OPTIONAL,
        /** A sink names one in its own key of the port's name, or has a format of spream. */
        SINK
    }

    public Port {
        requireNonNull(choice, "choice");
        requireNonNull(type, "type");
        requireNonNull(provider, "provider");
        requireNonNull(need, "need");
        requireNonNull(advice, "advice");
        modules = Map.copyOf(modules);
    }

    /** Returns a port that subscriptions do not use. */
    public static <T> Port<T> besideSubscriptions(
            String key,
            String meaning,
            Class<? super T> type,
            Class<? extends PluginProvider<T>> provider,
            String advice,
            Map<String, String> modules) {
        ConfigKey<String> choice = ConfigKey.of(key, ConfigType.text(), meaning + "; not used by subscriptions.")
                .withDefaultMeaning("none");
        return new Port<>(choice, type, provider, Need.OPTIONAL, advice, modules);
    }

    /** Returns the key that selects a plug-in. */
    public String key() {
        return choice.name();
    }

    @Override
    public String toString() {
        return key();
    }
}
