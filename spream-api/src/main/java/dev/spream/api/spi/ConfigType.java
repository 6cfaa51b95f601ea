package dev.spream.api.spi;

import static java.util.Objects.requireNonNull;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A type of configuration values with its written form.
 *
 * @param label the description for users, with its range: {@code integer, 1 to 1000}
 * @param reader parses a value; an {@link IllegalArgumentException} rejects it, with a message that names the expected
 *     form and does not quote the value, which may be secret
 * @param writer the inverse of {@code reader}, for defaults
 * @param choices all valid texts if there is a fixed set, for suggestions; empty otherwise
 */
public record ConfigType<T>(
        String label, Function<String, T> reader, Function<T, String> writer, List<String> choices) {
    private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})(B|KiB|MiB|GiB)");

    public ConfigType {
        requireNonNull(label, "label");
        requireNonNull(reader, "reader");
        requireNonNull(writer, "writer");
        choices = List.copyOf(choices);
    }

    /** Creates a type without a fixed set of values. */
    public ConfigType(String label, Function<String, T> reader, Function<T, String> writer) {
        this(label, reader, writer, List.of());
    }

    /** Returns the type of non-empty text. */
    public static ConfigType<String> text() {
        return new ConfigType<>("text", text -> text, text -> text);
    }

    /** Returns the type of integers within inclusive bounds. */
    public static ConfigType<Integer> integer(int min, int max) {
        String label = "integer, %d to %d".formatted(min, max);
        return new ConfigType<>(
                label,
                text -> {
                    long value = Long.parseLong(matching(text, INTEGER, label).group());
                    return Math.toIntExact(within(value, min, max, label));
                },
                String::valueOf);
    }

    /** Returns the type of byte sizes: an integer and B, KiB, MiB or GiB. */
    public static ConfigType<Long> size(long min, long max) {
        String label = "size, %s to %s".formatted(sizeText(min), sizeText(max));
        return new ConfigType<>(
                label,
                text -> {
                    Matcher matcher = matching(text, SIZE, label + ", such as 64MiB");
                    return within(bytes(Long.parseLong(matcher.group(1)), matcher.group(2)), min, max, label);
                },
                ConfigType::sizeText);
    }

    /**
     * Returns the type of durations: a number and ms, s, m, h or d, or several of these, as in {@code 1m30s}; a whole
     * number of milliseconds.
     */
    public static ConfigType<Duration> duration(Duration min, Duration max) {
        String label = "duration, %s to %s".formatted(WrittenDuration.text(min), WrittenDuration.text(max));
        return new ConfigType<>(
                label,
                text -> {
                    Duration value = WrittenDuration.parse(text)
                            .orElseThrow(() -> expected(label + ", such as 500ms, 10s, 5m, 2h or 1d"));
                    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
                        throw expected(label);
                    }
                    return value;
                },
                WrittenDuration::text);
    }

    /** Returns the type of {@code true} or {@code false}. */
    public static ConfigType<Boolean> flag() {
        return choice("true or false", List.of(true, false), String::valueOf);
    }

    /** Returns the type of an enum's constants, in lower case with hyphens. */
    public static <E extends Enum<E>> ConfigType<E> choice(Class<E> type) {
        List<E> constants = List.of(type.getEnumConstants());
        return choice(labels(constants.stream().map(ConfigType::kebab)), constants, ConfigType::kebab);
    }

    /** Returns the type of one of the given names. */
    public static ConfigType<String> name(Collection<String> names) {
        return choice(labels(names.stream()), List.copyOf(names), name -> name);
    }

    private static <T> ConfigType<T> choice(String label, List<T> values, Function<T, String> writer) {
        return new ConfigType<>(
                label,
                text -> values.stream()
                        .filter(value -> writer.apply(value).equals(text))
                        .findFirst()
                        .orElseThrow(() -> expected(label)),
                writer,
                values.stream().map(writer).toList());
    }

    private static String labels(Stream<String> names) {
        return names.collect(Collectors.joining(" | "));
    }

    /** Returns the type of files and folders; relative paths are resolved against the working directory. */
    public static ConfigType<Path> path() {
        return new ConfigType<>(
                "path",
                text -> {
                    try {
                        return Path.of(text);
                    } catch (InvalidPathException e) {
                        throw new IllegalArgumentException("expected a path: " + e.getReason(), e);
                    }
                },
                Path::toString);
    }

    /** Returns the type of absolute URLs with one of these schemes and a host. */
    public static ConfigType<URI> url(String... schemes) {
        List<String> allowed = List.of(schemes);
        String label = "URL, " + String.join(" or ", allowed);
        return new ConfigType<>(
                label,
                text -> {
                    try {
                        URI uri = new URI(text);
                        if (uri.getHost() == null || !allowed.contains(String.valueOf(uri.getScheme()))) {
                            throw expected(label + ", with a host");
                        }
                        return uri;
                    } catch (URISyntaxException e) {
                        throw new IllegalArgumentException("expected " + label, e);
                    }
                },
                URI::toString);
    }

    /** Returns the type of lists of texts separated by commas; blanks around the texts are ignored. */
    public static ConfigType<List<String>> list() {
        return new ConfigType<>(
                "list, separated by commas",
                text -> {
                    List<String> parts = Arrays.stream(text.split(",", -1))
                            .map(String::strip)
                            .toList();
                    if (parts.contains("")) {
                        throw expected("texts separated by single commas");
                    }
                    return parts;
                },
                parts -> String.join(",", parts));
    }

    /**
     * Parses a value.
     *
     * @throws IllegalArgumentException if the text is invalid; the message names the expected form
     */
    public T read(String text) {
        return reader.apply(text);
    }

    /** Returns the written form of a value. */
    public String write(T value) {
        return writer.apply(value);
    }

    private static Matcher matching(String text, Pattern pattern, String label) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw expected(label);
        }
        return matcher;
    }

    private static long within(long value, long min, long max, String label) {
        if (value < min || value > max) {
            throw expected(label);
        }
        return value;
    }

    private static IllegalArgumentException expected(String what) {
        return new IllegalArgumentException("expected " + what);
    }

    /** Converts to bytes; fails on overflow. */
    private static long bytes(long amount, String unit) {
        long size = bytes(unit);
        return amount > Long.MAX_VALUE / size ? Long.MAX_VALUE : amount * size;
    }

    private static long bytes(String unit) {
        return switch (unit) {
            case "B" -> 1L;
            case "KiB" -> 1L << 10;
            case "MiB" -> 1L << 20;
            default -> 1L << 30;
        };
    }

    private static String sizeText(long size) {
        for (String unit : List.of("GiB", "MiB", "KiB")) {
            if (size != 0 && size % bytes(unit) == 0) {
                return size / bytes(unit) + unit;
            }
        }
        return size + "B";
    }

    private static String kebab(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
