package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.function.Consumer;
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
    private final Facts<T> facts;

    private ConfigKey(String name, ConfigType<T> type, String meaning, Facts<T> facts) {
        this.name = name;
        this.type = type;
        this.meaning = meaning;
        this.facts = facts;
    }

    /** What may be said of a key besides; not changed once the key is made. */
    private static final class Facts<T> {
        private @Nullable T defaultValue;
        private @Nullable String defaultMeaning;
        private @Nullable String fallback;
        private boolean required;
        private boolean secret;
        private @Nullable UnaryOperator<String> shownPart;
    }

    /** The same key with other facts. */
    private ConfigKey<T> with(Consumer<Facts<T>> change) {
        Facts<T> copy = new Facts<>();
        copy.defaultValue = facts.defaultValue;
        copy.defaultMeaning = facts.defaultMeaning;
        copy.fallback = facts.fallback;
        copy.required = facts.required;
        copy.secret = facts.secret;
        copy.shownPart = facts.shownPart;
        change.accept(copy);
        return new ConfigKey<>(name, type, meaning, copy);
    }

    /**
     * A key that may be left out, and has no default.
     *
     * @param name lower-case words with hyphens between, such as {@code max-inflight}
     * @param meaning a sentence or two for users; the range and the default are shown beside it
     * @throws IllegalArgumentException if the name is not of that form
     */
    public static <T> ConfigKey<T> of(String name, ConfigType<T> type, String meaning) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "'%s' is no name of a key: write lower-case words with hyphens between".formatted(name));
        }
        return new ConfigKey<>(name, requireNonNull(type, "type"), requireNonNull(meaning, "meaning"), new Facts<>());
    }

    /**
     * The same key, with a value that holds when nothing is configured.
     *
     * @throws IllegalArgumentException if this value could not be configured, since the type cannot write it or does not
     *     take what it wrote
     */
    public ConfigKey<T> withDefault(T value) {
        requireWritable(requireNonNull(value, "value"));
        return with(key -> {
            key.defaultValue = value;
            key.required = false;
        });
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
        requireNonNull(words, "words");
        return with(key -> key.defaultMeaning = words);
    }

    /**
     * The same key, with another one that holds when this one is not configured.
     *
     * @param key in full, such as {@code source.spanner.database}; one that does not exist, or is not configured, counts as
     *     left out
     */
    public ConfigKey<T> withFallback(String key) {
        requireNonNull(key, "key");
        return with(other -> other.fallback = key);
    }

    /** The same key, to be configured in any case. */
    public ConfigKey<T> required() {
        return with(key -> {
            key.defaultValue = null;
            key.required = true;
        });
    }

    /** The same key, with values that are never shown, and not taken from a command line in plain text. */
    public ConfigKey<T> secret() {
        return with(key -> key.secret = true);
    }

    /**
     * The same key, with values of which only a part is shown, such as the host of a URL whose path may be a secret. Unlike a
     * {@linkplain #secret secret} they are taken from a command line.
     *
     * @param part makes of any text, also one that the type does not take, what may be shown of it
     */
    public ConfigKey<T> showing(UnaryOperator<String> part) {
        requireNonNull(part, "part");
        return with(key -> key.shownPart = part);
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
        return Optional.ofNullable(facts.defaultValue);
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
        return Optional.ofNullable(facts.defaultMeaning);
    }

    /** See {@link #withFallback}. */
    public Optional<String> fallback() {
        return Optional.ofNullable(facts.fallback);
    }

    public boolean isRequired() {
        return facts.required;
    }

    /** See {@link #showing}. */
    public Optional<UnaryOperator<String>> shownPart() {
        return Optional.ofNullable(facts.shownPart);
    }

    public boolean isSecret() {
        return facts.secret;
    }

    @Override
    public String toString() {
        return name;
    }
}
