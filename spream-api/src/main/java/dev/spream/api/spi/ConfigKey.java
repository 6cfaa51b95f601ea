package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A configuration key: its name, its type with its range, its meaning and its default.
 *
 * <pre>{@code
 * private static final ConfigKey<Duration> TIMEOUT = ConfigKey.of(
 *                 "timeout",
 *                 ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
 *                 "Time limit of one request.")
 *         .withDefault(Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>Immutable: methods that change something return another key. Keys are equal if their names are, within a plug-in.
 *
 * @param name lower-case words with hyphens between, such as {@code max-inflight}, or dots, such as {@code client.acks}
 * @param type the type of its values, with their range
 * @param meaning a sentence or two for users; range and default are displayed with it
 * @param defaultValue see {@link #withDefault}
 * @param defaultMeaning see {@link #withDefaultMeaning}
 * @param fallback see {@link #withFallback}
 * @param fallbackUnless see {@link #withFallback(String, String...)}
 * @param isRequired see {@link #required}
 * @param isSecret see {@link #secret}
 * @param shownPart see {@link #showing}
 * @param <T> the type of its values
 */
public record ConfigKey<T>(
        String name,
        ConfigType<T> type,
        String meaning,
        Optional<T> defaultValue,
        Optional<String> defaultMeaning,
        Optional<String> fallback,
        List<String> fallbackUnless,
        boolean isRequired,
        boolean isSecret,
        Optional<UnaryOperator<String>> shownPart) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*([-.][a-z0-9]+)*");

    public ConfigKey {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is not a valid key name: use lower-case words separated by hyphens or dots".formatted(name));
        }
        requireNonNull(type, "type");
        requireNonNull(meaning, "meaning");
        fallbackUnless = List.copyOf(fallbackUnless);
        defaultValue.ifPresent(value -> requireWritable(name, type, value));
    }

    private static <T> void requireWritable(String name, ConfigType<T> type, T value) {
        String text = type.write(value);
        String again = type.write(type.read(text));
        if (!again.equals(text)) {
            throw new IllegalArgumentException(
                    "the default of %s is written as '%s', which reads as '%s'".formatted(name, text, again));
        }
    }

    /**
     * Creates an optional key without a default.
     *
     * @throws IllegalArgumentException if the name is malformed
     */
    public static <T> ConfigKey<T> of(String name, ConfigType<T> type, String meaning) {
        Optional<String> none = Optional.empty();
        return new ConfigKey<>(
                name, type, meaning, Optional.empty(), none, none, List.of(), false, false, Optional.empty());
    }

    /**
     * Returns this key with a default value.
     *
     * @throws IllegalArgumentException if the value could not be configured, since the type cannot write it or rejects
     *     the written form
     */
    public ConfigKey<T> withDefault(T value) {
        Optional<T> held = Optional.of(value);
        return new ConfigKey<>(
                name, type, meaning, held, defaultMeaning, fallback, fallbackUnless, false, isSecret, shownPart);
    }

    /** Returns this key with a description of its default, such as {@code a quarter of the heap}. */
    public ConfigKey<T> withDefaultMeaning(String words) {
        Optional<String> said = Optional.of(words);
        return new ConfigKey<>(
                name, type, meaning, defaultValue, said, fallback, fallbackUnless, isRequired, isSecret, shownPart);
    }

    /**
     * Returns this key with a fallback: another key whose value is used if this one is not configured.
     *
     * @param key the full name, such as {@code source.spanner.database}; ignored if that key does not exist or is not
     *     configured
     */
    public ConfigKey<T> withFallback(String key) {
        return withFallback(key, new String[0]);
    }

    /**
     * Returns this key with a {@linkplain #withFallback(String) fallback} that is not used if one of other keys is
     * configured, such as those that cannot be combined with it.
     *
     * @param unless names of keys of the same plug-in
     */
    public ConfigKey<T> withFallback(String key, String... unless) {
        Optional<String> other = Optional.of(key);
        return new ConfigKey<>(
                name,
                type,
                meaning,
                defaultValue,
                defaultMeaning,
                other,
                List.of(unless),
                isRequired,
                isSecret,
                shownPart);
    }

    /** Returns this key as a required one. */
    public ConfigKey<T> required() {
        Optional<T> none = Optional.empty();
        return new ConfigKey<>(
                name, type, meaning, none, defaultMeaning, fallback, fallbackUnless, true, isSecret, shownPart);
    }

    /**
     * Returns this key as a secret: its values are never shown, and are not accepted in plain text on a command line.
     */
    public ConfigKey<T> secret() {
        return new ConfigKey<>(
                name,
                type,
                meaning,
                defaultValue,
                defaultMeaning,
                fallback,
                fallbackUnless,
                isRequired,
                true,
                shownPart);
    }

    /**
     * Returns this key with values that are only partly shown, such as the host of a URL whose path may be secret.
     * Unlike {@linkplain #secret secrets}, its values are accepted on a command line.
     *
     * @param part converts any text, also one that the type rejects, to its displayable part
     */
    public ConfigKey<T> showing(UnaryOperator<String> part) {
        Optional<UnaryOperator<String>> shown = Optional.of(part);
        return new ConfigKey<>(
                name,
                type,
                meaning,
                defaultValue,
                defaultMeaning,
                fallback,
                fallbackUnless,
                isRequired,
                isSecret,
                shown);
    }

    /** Returns the default for documentation: its written form, or its description. */
    public Optional<String> defaultText() {
        return defaultMeaning.or(this::impliedText);
    }

    private Optional<String> impliedText() {
        Optional<String> written = defaultValue.map(type::write);
        return fallback.map(key ->
                        "the value of " + key + written.map(", else "::concat).orElse(""))
                .or(() -> written);
    }

    @Override
    public String toString() {
        return name;
    }
}
