package dev.spream.browser;

import java.util.List;
import java.util.Map;

/** Reads members of objects that came as JSON, and fails with what was there instead. */
final class JsonMembers {
    private JsonMembers() {}

    static Map<?, ?> object(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw new AssertionError("no object: " + value);
    }

    static List<?> list(Map<?, ?> object, String name) {
        if (object.get(name) instanceof List<?> list) {
            return list;
        }
        throw new AssertionError("no list %s in %s".formatted(name, object));
    }

    static List<String> texts(Map<?, ?> object, String name) {
        return list(object, name).stream().map(String::valueOf).toList();
    }

    static String text(Map<?, ?> object, String name) {
        return String.valueOf(object.get(name));
    }
}
