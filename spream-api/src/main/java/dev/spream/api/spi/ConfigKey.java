package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A key of the configuration: its name, its type with its range, what it means, and what holds when nothing is said.
 *
 * <pre>{@code
 * private static final ConfigKey<Duration> TIMEOUT = ConfigKey.of(
 *                 "timeout",
 *                 ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
 *                 "How long an answer may take.")
 *         .withDefault(Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>Immutable: every method that changes something returns another key. Keys are compared by name within their plug-in.
 *
 * @param <T> the type of its values
 */
public final class ConfigKey<T> {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

    private final String name;
    private final ConfigType<T> type;
    private final String meaning;
    private final @Nullable T defaultValue;
    private final @Nullable String defaultMeaning;
    private final @Nullable String fallback;
    private final boolean required;
    private final boolean secret;
    private final @Nullable UnaryOperator<String> shownPart;

    private ConfigKey(
            String name,
            ConfigType<T> type,
            String meaning,
            @Nullable T defaultValue,
            @Nullable String defaultMeaning,
            @Nullable String fallback,
            boolean required,
            boolean secret,
            @Nullable UnaryOperator<String> shownPart) {
        this.name = name;
        this.type = type;
        this.meaning = meaning;
        this.defaultValue = defaultValue;
        this.defaultMeaning = defaultMeaning;
        this.fallback = fallback;
        this.required = required;
        this.secret = secret;
        this.shownPart = shownPart;
    }

    /**
     * A key that may be left out, and has no default.
     *
     * @param name lower-case words with hyphens between, such as {@code max-inflight}
     * @param meaning a sentence or two for whoever configures it; the range and the default are shown beside it
     * @throws IllegalArgumentException if the name is not of that form
     */
    public static <T> ConfigKey<T> of(String name, ConfigType<T> type, String meaning) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no name of a key: write lower-case words with hyphens between".formatted(name));
        }
        return new ConfigKey<>(
                name,
                requireNonNull(type, "type"),
                requireNonNull(meaning, "meaning"),
                null,
                null,
                null,
                false,
                false,
                null);
    }

    /**
     * The same key, with a value that holds when nothing is configured.
     *
     * @throws IllegalArgumentException if nobody could configure this value, since the type cannot write it or does not
     *     take what it wrote
     */
    public ConfigKey<T> withDefault(T value) {
        requireWritable(requireNonNull(value, "value"));
        return new ConfigKey<>(name, type, meaning, value, defaultMeaning, fallback, false, secret, shownPart);
    }

    private void requireWritable(T value) {
        String text = type.write(value);
        String again = type.write(type.read(text));
        if (!again.equals(text)) {
            throw new IllegalArgumentException(
                    "the default of %s is written as '%s', which reads as '%s'".formatted(name, text, again));
        }
    }

    /** The same key, with words for what happens when nothing is configured, such as {@code a quarter of the heap}. */
    public ConfigKey<T> withDefaultMeaning(String words) {
        return new ConfigKey<>(
                name,
                type,
                meaning,
                defaultValue,
                requireNonNull(words, "words"),
                fallback,
                required,
                secret,
                shownPart);
    }

    /**
     * The same key, with another one that holds when this one is not configured.
     *
     * @param key in full, such as {@code source.spanner.database}; one that does not exist, or is not configured, counts as
     *     left out
     */
    public ConfigKey<T> withFallback(String key) {
        return new ConfigKey<>(
                name,
                type,
                meaning,
                defaultValue,
                defaultMeaning,
                requireNonNull(key, "key"),
                required,
                secret,
                shownPart);
    }

    /** The same key, to be configured in any case. */
    public ConfigKey<T> required() {
        return new ConfigKey<>(name, type, meaning, null, defaultMeaning, fallback, true, secret, shownPart);
    }

    /** The same key, with values that are never shown, and not taken from a command line in plain text. */
    public ConfigKey<T> secret() {
        return new ConfigKey<>(name, type, meaning, defaultValue, defaultMeaning, fallback, required, true, shownPart);
    }

    /**
     * The same key, with values of which only a part is shown, such as the host of a URL whose path may be a secret. Unlike a
     * {@linkplain #secret secret} they are taken from a command line.
     *
     * @param part makes of any text, also one that the type does not take, what may be shown of it
     */
    public ConfigKey<T> showing(UnaryOperator<String> part) {
        return new ConfigKey<>(
                name,
                type,
                meaning,
                defaultValue,
                defaultMeaning,
                fallback,
                required,
                secret,
                requireNonNull(part, "part"));
    }

    public String name() {
        return name;
    }

    public ConfigType<T> type() {
        return type;
    }

    public String meaning() {
        return meaning;
    }

    public Optional<T> defaultValue() {
        return Optional.ofNullable(defaultValue);
    }

    /** What holds when nothing is configured, for people: the default as it would be written, or words. */
    public Optional<String> defaultText() {
        return defaultMeaning().or(this::impliedText);
    }

    private Optional<String> impliedText() {
        Optional<String> written = defaultValue().map(type::write);
        return fallback()
                .map(key -> "that of " + key + written.map(", or else "::concat).orElse(""))
                .or(() -> written);
    }

    /** See {@link #withDefaultMeaning}. */
    public Optional<String> defaultMeaning() {
        return Optional.ofNullable(defaultMeaning);
    }

    /** See {@link #withFallback}. */
    public Optional<String> fallback() {
        return Optional.ofNullable(fallback);
    }

    public boolean isRequired() {
        return required;
    }

    /** See {@link #showing}. */
    public Optional<UnaryOperator<String>> shownPart() {
        return Optional.ofNullable(shownPart);
    }

    public boolean isSecret() {
        return secret;
    }

    @Override
    public String toString() {
        return name;
    }
}
