package dev.spream.differential;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The differences between two JSON values, each with its path and both values. */
final class Differences {
    private final String left;
    private final String right;
    private final List<String> found = new ArrayList<>();

    private Differences(String left, String right) {
        this.left = left;
        this.right = right;
    }

    /** The differences; {@code left} and {@code right} name the two sides in them. */
    static List<String> between(String path, String left, JsonElement a, String right, JsonElement b) {
        Differences differences = new Differences(left, right);
        differences.compare(path, a, b);
        return differences.found;
    }

    private void compare(String path, JsonElement a, JsonElement b) {
        if (a.isJsonObject() && b.isJsonObject()) {
            objects(path, a.getAsJsonObject(), b.getAsJsonObject());
        } else if (a.isJsonArray() && b.isJsonArray()) {
            arrays(path, a.getAsJsonArray(), b.getAsJsonArray());
        } else if (!same(a, b)) {
            found.add("%s: %s has %s, %s has %s".formatted(path, left, a, right, b));
        }
    }

    /** Numbers by value, so that 1 is 1.0; everything else to the letter. */
    private static boolean same(JsonElement a, JsonElement b) {
        if (isNumber(a) && isNumber(b)) {
            return a.getAsBigDecimal().compareTo(b.getAsBigDecimal()) == 0;
        }
        return a.equals(b);
    }

    private static boolean isNumber(JsonElement element) {
        return element.isJsonPrimitive() && element.getAsJsonPrimitive().isNumber();
    }

    private void objects(String path, JsonObject a, JsonObject b) {
        Set<String> keys = new TreeSet<>(a.keySet());
        keys.addAll(b.keySet());
        for (String key : keys) {
            String inner = path + "." + key;
            if (!a.has(key) || !b.has(key)) {
                String present = a.has(key) ? left : right;
                found.add("%s: only %s has it, %s".formatted(inner, present, (a.has(key) ? a : b).get(key)));
            } else {
                compare(inner, a.get(key), b.get(key));
            }
        }
    }

    private void arrays(String path, JsonArray a, JsonArray b) {
        if (a.size() != b.size()) {
            found.add("%s: %s has %d, %s has %d: %s and %s".formatted(path, left, a.size(), right, b.size(), a, b));
            return;
        }
        for (int i = 0; i < a.size(); i++) {
            compare(path + "[" + i + "]", a.get(i), b.get(i));
        }
    }
}
