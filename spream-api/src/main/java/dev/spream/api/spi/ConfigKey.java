package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * A key of the configuration: its name, its type with its range, what it means, and what holds when nothing is said.
 *
 * <pre>{@code
 * private static final ConfigKey<Duration> TIMEOUT = ConfigKey.of(
 *                 "timeout",
 *                 ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
 *                 "Time limit of one request.")
 *         .withDefault(Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>Immutable: every method that changes something returns another key. Keys are compared by name within their plug-in.
 *
 * @param name lower-case words with hyphens between, such as {@code max-inflight}
 * @param type what its values are, with their range
 * @param meaning a sentence or two for users; the range and the default are shown beside it
 * @param defaultValue see {@link #withDefault}
 * @param defaultMeaning see {@link #withDefaultMeaning}
 * @param fallback see {@link #withFallback}
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
        boolean isRequired,
        boolean isSecret,
        Optional<UnaryOperator<String>> shownPart) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

    public ConfigKey {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no name of a key: write lower-case words with hyphens between".formatted(name));
        }
        requireNonNull(type, "type");
        requireNonNull(meaning, "meaning");
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
     * A key that may be left out, and has no default.
     *
     * @throws IllegalArgumentException if the name is not of its form
     */
    public static <T> ConfigKey<T> of(String name, ConfigType<T> type, String meaning) {
        Optional<String> none = Optional.empty();
        return new ConfigKey<>(name, type, meaning, Optional.empty(), none, none, false, false, Optional.empty());
    }

    /**
     * The same key, with a value that holds when nothing is configured.
     *
     * @throws IllegalArgumentException if this value could not be configured, since the type cannot write it or does not
     *     take what it wrote
     */
    public ConfigKey<T> withDefault(T value) {
        Optional<T> held = Optional.of(value);
        return new ConfigKey<>(name, type, meaning, held, defaultMeaning, fallback, false, isSecret, shownPart);
    }

    /** The same key, with words for what happens when nothing is configured, such as {@code a quarter of the heap}. */
    public ConfigKey<T> withDefaultMeaning(String words) {
        Optional<String> said = Optional.of(words);
        return new ConfigKey<>(name, type, meaning, defaultValue, said, fallback, isRequired, isSecret, shownPart);
    }

    /**
     * The same key, with another one that holds when this one is not configured.
     *
     * @param key in full, such as {@code source.spanner.database}; one that does not exist, or is not configured, counts as
     *     left out
     */
    public ConfigKey<T> withFallback(String key) {
        Optional<String> other = Optional.of(key);
        return new ConfigKey<>(
                name, type, meaning, defaultValue, defaultMeaning, other, isRequired, isSecret, shownPart);
    }

    /** The same key, to be configured in any case. */
    public ConfigKey<T> required() {
        Optional<T> none = Optional.empty();
        return new ConfigKey<>(name, type, meaning, none, defaultMeaning, fallback, true, isSecret, shownPart);
    }

    /** The same key, with values that are never shown, and not taken from a command line in plain text. */
    public ConfigKey<T> secret() {
        return new ConfigKey<>(
                name, type, meaning, defaultValue, defaultMeaning, fallback, isRequired, true, shownPart);
    }

    /**
     * The same key, with values of which only a part is shown, such as the host of a URL whose path may be a secret. Unlike a
     * {@linkplain #secret secret} they are taken from a command line.
     *
     * @param part makes of any text, also one that the type does not take, what may be shown of it
     */
    public ConfigKey<T> showing(UnaryOperator<String> part) {
        Optional<UnaryOperator<String>> shown = Optional.of(part);
        return new ConfigKey<>(
                name, type, meaning, defaultValue, defaultMeaning, fallback, isRequired, isSecret, shown);
    }

    /** Returns the default for documentation: as it would be written, or in words. */
    public Optional<String> defaultText() {
        return defaultMeaning.or(this::impliedText);
    }

    private Optional<String> impliedText() {
        Optional<String> written = defaultValue.map(type::write);
        return fallback.map(key ->
                        "that of " + key + written.map(", or else "::concat).orElse(""))
                .or(() -> written);
    }

    @Override
    public String toString() {
        return name;
    }
}
