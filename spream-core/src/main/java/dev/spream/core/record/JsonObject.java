package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object as Spanner sends it. Its text, and that of nested objects, is kept as received, and parsed on the first
 * access to a member. Values are {@code null}, {@link Boolean}, {@link BigDecimal}, {@link String}, {@link List} and
 * {@link Map}; the {@code toString} of a number is its text. Two objects are equal when their members are.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class JsonObject {
    /** The object without members. */
    public static final JsonObject EMPTY = new JsonObject("{}", Map.of());

    private static final int MAX_PLAIN_SCALE = 1_000;

    private final String text;
    private volatile @Nullable Map<String, @Nullable Object> members;
    private int hash; // of the members; 0 until computed, with the same result on any thread

    private JsonObject(String text, @Nullable Map<String, @Nullable Object> members) {
        this.text = text;
        this.members = members;
    }

    /**
     * Returns the object that the text holds. The text is parsed on first access to a member; text that is not a JSON
     * object makes that access throw {@link IllegalArgumentException}.
     */
    public static JsonObject of(String text) {
        return new JsonObject(requireNonNull(text, "text"), null);
    }

    /**
     * Returns the object with these members, in the map's order; values of the types named above, or any {@link
     * Number}.
     */
    public static JsonObject of(Map<String, ? extends @Nullable Object> members) {
        StringBuilder text = new StringBuilder();
        JsonText.append(text, members);
        return new JsonObject(text.toString(), null);
    }

    /** Returns the members in order, unmodifiable. Values may be null. */
    public Map<String, @Nullable Object> members() {
        Map<String, @Nullable Object> parsed = members;
        if (parsed == null) {
            parsed = parse(text);
            members = parsed;
        }
        return parsed;
    }

    /** Returns whether the member is present, even if its value is null. */
    public boolean has(String name) {
        return members().containsKey(name);
    }

    /** Returns the value of the member; null where it is null or there is no such member. */
    public @Nullable Object get(String name) {
        return members().get(name);
    }

    /** Returns the member as text, for strings, numbers and booleans; empty where it is null or absent. */
    public Optional<String> string(String name) {
        return switch (get(name)) {
            case null -> Optional.empty();
            case String string -> Optional.of(string);
            case BigDecimal number -> Optional.of(plain(number));
            case Boolean bool -> Optional.of(bool.toString());
            case Object other -> throw wrongType(name, "a string", other);
        };
    }

    /** Returns the member as a whole number, which Spanner sends as a string; empty where it is null or absent. */
    public OptionalLong int64(String name) {
        return switch (get(name)) {
            case null -> OptionalLong.empty();
            case String string -> OptionalLong.of(Long.parseLong(string));
            case BigDecimal number -> OptionalLong.of(exact(name, number));
            case Object other -> throw wrongType(name, "an INT64", other);
        };
    }

    /** Returns the member as an object; empty where it is null or absent. */
    public Optional<JsonObject> object(String name) {
        return switch (get(name)) {
            case null -> Optional.empty();
            case Map<?, ?> map -> Optional.of(ofParsed(map));
            case Object other -> throw wrongType(name, "an object", other);
        };
    }

    /** Returns the member as a list of objects, without elements that are null; empty where it is null or absent. */
    public List<JsonObject> objects(String name) {
        return switch (get(name)) {
            case null -> List.of();
            case List<?> list -> {
                List<JsonObject> objects = new ArrayList<>(list.size());
                for (Object element : list) {
                    switch (element) {
                        case null -> {}
                        case Map<?, ?> map -> objects.add(ofParsed(map));
                        case Object other -> throw wrongType(name, "a list of objects", other);
                    }
                }
                yield objects;
            }
            case Object other -> throw wrongType(name, "a list", other);
        };
    }

    boolean isEmpty() {
        return members().isEmpty();
    }

    /** Returns the number without an exponent, unless that would make a short number very long. */
    private static String plain(BigDecimal number) {
        return Math.abs((long) number.scale()) <= MAX_PLAIN_SCALE ? number.toPlainString() : number.toString();
    }

    private static long exact(String name, BigDecimal number) {
        try {
            return number.longValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "member %s: an INT64 was expected, found another number".formatted(name), e);
        }
    }

    /** Returns the object, with its part of the enclosing text. */
    private static JsonObject ofParsed(Map<?, ?> map) {
        if (map instanceof ParsedObject parsed) {
            return of(parsed.text());
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        map.forEach((name, value) -> members.put((String) name, value));
        return of(members);
    }

    private static Map<String, @Nullable Object> parse(String text) {
        if (JsonText.parse(text) instanceof ParsedObject members) {
            return members;
        }
        throw new IllegalArgumentException("a JSON object was expected");
    }

    private static IllegalArgumentException wrongType(String name, String expected, Object actual) {
        return new IllegalArgumentException("member %s: %s was expected, found %s"
                .formatted(name, expected, actual.getClass().getSimpleName()));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JsonObject that
                && (text.equals(that.text) || members().equals(that.members()));
    }

    @Override
    public int hashCode() {
        int known = hash;
        if (known == 0) {
            known = members().hashCode();
            hash = known;
        }
        return known;
    }

    /** Returns the object as JSON text: as it was received, or as it was built. */
    @Override
    public String toString() {
        return text;
    }
}
