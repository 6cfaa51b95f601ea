package dev.spream.examples.vocabulary;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.spream.examples.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A reader of the members of a JSON object. The message about a wrong member names the expected value, never the actual
 * one. Every error is an {@link IllegalArgumentException}. Confined to one thread.
 */
final class Fields {
    private final String path;
    private final JsonObject object;
    private final Set<String> read = new HashSet<>();

    private Fields(String path, JsonElement value) {
        if (!(value instanceof JsonObject members)) {
            throw new IllegalArgumentException((path.isEmpty() ? "the body" : path) + " must be a JSON object");
        }
        this.path = path;
        this.object = members;
    }

    static Fields of(String text) {
        return new Fields("", Json.parse(text));
    }

    private Optional<JsonElement> member(String name) {
        read.add(name);
        return Optional.ofNullable(object.get(name)).filter(value -> !value.isJsonNull());
    }

    private IllegalArgumentException refused(String name, String must) {
        return new IllegalArgumentException("%s must be %s".formatted(nameOf(name), must));
    }

    private String nameOf(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    String text(String name, int max) {
        return optionalText(name, max).orElseThrow(() -> refused(name, textOf(max)));
    }

    Optional<String> optionalText(String name, int max) {
        return member(name).map(value -> plain(value, max).orElseThrow(() -> refused(name, textOf(max))));
    }

    private static String textOf(int max) {
        return "a text of 1 to %d characters, not of blanks alone".formatted(max);
    }

    private static Optional<String> plain(JsonElement value, int max) {
        return value instanceof JsonPrimitive text && text.isString()
                ? Optional.of(text.getAsString())
                        .filter(string -> !string.isBlank() && string.length() <= max && isStorable(string))
                : Optional.empty();
    }

    /**
     * Returns whether databases store the text: half of a surrogate pair would be stored as a question mark, U+0000 not
     * at all.
     */
    private static boolean isStorable(String text) {
        return text.indexOf('\0') < 0 && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }

    String choice(String name, Set<String> of) {
        return optionalChoice(name, of).orElseThrow(() -> refused(name, "one of " + new TreeSet<>(of)));
    }

    Optional<String> optionalChoice(String name, Set<String> of) {
        return member(name)
                .map(value -> plain(value, Integer.MAX_VALUE)
                        .filter(of::contains)
                        .orElseThrow(() -> refused(name, "one of " + new TreeSet<>(of))));
    }

    /** Returns a list of texts without duplicates; empty if it is absent. */
    List<String> texts(String name, int count, int max) {
        return optionalTexts(name, count, max).orElse(List.of());
    }

    Optional<List<String>> optionalTexts(String name, int count, int max) {
        return member(name).map(value -> {
            Set<String> texts = new LinkedHashSet<>();
            for (JsonElement element : array(name, value, count)) {
                texts.add(plain(element, max).orElseThrow(() -> refused(name, "a list, each " + textOf(max))));
            }
            return List.copyOf(texts);
        });
    }

    private JsonArray array(String name, JsonElement value, int count) {
        if (value instanceof JsonArray array && array.size() <= count) {
            return array;
        }
        throw refused(name, "a list of at most %,d".formatted(count));
    }

    /** Returns a list of objects; empty if it is absent. */
    List<Fields> objects(String name, int count) {
        List<Fields> objects = new ArrayList<>();
        member(name)
                .ifPresent(value -> array(name, value, count)
                        .forEach(element ->
                                objects.add(new Fields("%s[%d]".formatted(nameOf(name), objects.size()), element))));
        return objects;
    }

    Fields object(String name) {
        return member(name)
                .map(value -> new Fields(nameOf(name), value))
                .orElseThrow(() -> refused(name, "a JSON object"));
    }

    /** Returns a version, 1 or more. */
    long version(String name) {
        return member(name)
                .filter(value -> value instanceof JsonPrimitive number && number.isNumber())
                .map(JsonElement::getAsBigDecimal)
                .filter(number ->
                        number.signum() > 0 && number.scale() <= 0 && (long) number.precision() - number.scale() <= 18)
                .orElseThrow(() -> refused(name, "a whole number of 1 or more"))
                .longValueExact();
    }

    /** Returns a number from 0 to 1, if present. */
    Optional<Double> optionalShare(String name) {
        return member(name).map(value -> {
            if (value instanceof JsonPrimitive number
                    && number.isNumber()
                    && number.getAsDouble() >= 0
                    && number.getAsDouble() <= 1) {
                return number.getAsDouble();
            }
            throw refused(name, "a number of 0 to 1");
        });
    }

    /** Rejects unknown members. */
    void requireNoOthers() {
        Set<String> others = new TreeSet<>(object.keySet());
        others.removeAll(read);
        if (!others.isEmpty()) {
            throw new IllegalArgumentException("%s has %d unknown members; there are %s"
                    .formatted(path.isEmpty() ? "the body" : path, others.size(), new TreeSet<>(read)));
        }
    }
}
