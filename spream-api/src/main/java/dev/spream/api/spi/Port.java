package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import java.util.Map;

/**
 * A port that plug-ins fill: what discovery, configuration and the calls into plug-ins have to know of it. Each is declared
 * beside its provider, as {@link ConsumerProvider#PORT} is, and registered in {@link Ports}. Immutable.
 *
 * @param choice the key that chooses a plug-in by name, which is also what the keys of those to choose from begin with
 * @param type the interface that a plug-in implements. Objects of other interfaces that its methods return are the plug-in's
 *     too, and those that they are handed are the host's
 * @param provider the service that {@link java.util.ServiceLoader} looks for
 * @param need what holds if the configuration names none
 * @param advice what to name, for a program that needs one, such as {@code what takes them, such as jdbc}
 * @param modules the artefacts of spream that have a plug-in and need not be there, by the plug-in's name
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
        /** It takes the only plug-in there is, besides one that forgets. */
        ONE,
        /** It does not start: changes are not sent somewhere by accident. */
        NAMED,
        /** It does without. */
        OPTIONAL
    }

    public Port {
        requireNonNull(choice, "choice");
        requireNonNull(type, "type");
        requireNonNull(provider, "provider");
        requireNonNull(need, "need");
        requireNonNull(advice, "advice");
        modules = Map.copyOf(modules);
    }

    /** A port that stands beside subscriptions. */
    public static <T> Port<T> besideSubscriptions(
            String key,
            String meaning,
            Class<? super T> type,
            Class<? extends PluginProvider<T>> provider,
            String advice,
            Map<String, String> modules) {
        ConfigKey<String> choice = ConfigKey.of(key, ConfigType.text(), meaning + "; a subscription needs none.")
                .withDefaultMeaning("none");
        return new Port<>(choice, type, provider, Need.OPTIONAL, advice, modules);
    }

    /** The name of the key that chooses a plug-in. */
    public String key() {
        return choice.name();
    }

    @Override
    public String toString() {
        return key();
    }
}
