package dev.spream.cli.deadletter;

import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.JsonObject;
import java.math.BigDecimal;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The text form of keys: {@code Region=eu,Id=5}, or JSON where that would be ambiguous. */
final class KeyText {
    /** The key of a table whose primary key has no columns. */
    static final String EMPTY = "()";

    private static final Pattern CLEAR = Pattern.compile("[\\p{IsAlphabetic}\\p{IsDigit}_./:@+-]+");

    private KeyText() {}

    static String of(RecordKey key) {
        if (key.primaryKey().members().isEmpty()) {
            return EMPTY;
        }
        return key.primaryKey().members().entrySet().stream()
                .map(member -> name(member.getKey()) + "=" + value(member.getValue()))
                .collect(Collectors.joining(","));
    }

    /** Returns the keys of a change, prefixed with their table. */
    static String of(Collection<RecordKey> keys) {
        return keys.stream().collect(Collectors.groupingBy(RecordKey::tableName)).entrySet().stream()
                .map(table -> table.getKey() + " "
                        + table.getValue().stream().map(KeyText::of).sorted().collect(Collectors.joining("; ")))
                .collect(Collectors.joining("; "));
    }

    static boolean names(String text, RecordKey key) {
        return text.startsWith("{") ? isJson(text, key) : text.equals(of(key));
    }

    private static boolean isJson(String text, RecordKey key) {
        try {
            return JsonObject.of(text).equals(key.primaryKey());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String name(String column) {
        return CLEAR.matcher(column).matches() ? column : json(column);
    }

    private static String value(@Nullable Object value) {
        return switch (value) {
            case String text when CLEAR.matcher(text).matches() -> text;
            case BigDecimal number -> number.toString();
            case null -> "null";
            case Object other -> json(other);
        };
    }

    private static String json(Object value) {
        Map<String, @Nullable Object> member = new LinkedHashMap<>();
        member.put("", value);
        String object = JsonObject.of(member).toString();
        return object.substring("{\"\":".length(), object.length() - 1);
    }
}
