package dev.spream.interop;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The differences between two messages with schemas, as JSON. A member that only Debezium has and that is null counts as a
 * column that the change does not have.
 */
final class Differences {
    private final List<String> found = new ArrayList<>();
    private final Set<String> missingColumns = new TreeSet<>();

    /** Compares the two, whose order of members does not matter. */
    void compare(@Nullable Object theirs, @Nullable Object ours) {
        compare("", theirs, ours);
    }

    /** Returns the paths at which the two differ, with both values. */
    List<String> found() {
        return List.copyOf(found);
    }

    /** Returns the columns that only Debezium's messages have: null in rows, and fields in schemas. */
    Set<String> missingColumns() {
        return Set.copyOf(missingColumns);
    }

    private void compare(String path, @Nullable Object theirs, @Nullable Object ours) {
        if (theirs instanceof Map<?, ?> their && ours instanceof Map<?, ?> our) {
            compareMembers(path, their, our);
        } else if (theirs instanceof List<?> their && ours instanceof List<?> our) {
            compareElements(path, their, our);
        } else if (!equal(theirs, ours)) {
            found.add("%s: %s, and ours %s".formatted(path, theirs, ours));
        }
    }

    private void compareMembers(String path, Map<?, ?> theirs, Map<?, ?> ours) {
        for (Map.Entry<?, ?> member : theirs.entrySet()) {
            if (ours.containsKey(member.getKey())) {
                compare(path + "/" + member.getKey(), member.getValue(), ours.get(member.getKey()));
            } else if (member.getValue() == null && path.matches("/payload/(before|after)")) {
                missingColumns.add(String.valueOf(member.getKey()));
            } else {
                found.add("%s/%s: %s, and ours has none".formatted(path, member.getKey(), member.getValue()));
            }
        }
        ours.keySet().stream()
                .filter(name -> !theirs.containsKey(name))
                .forEach(name -> found.add("%s/%s: only in ours".formatted(path, name)));
    }

    /** Compares lists; the fields of a schema by their names. */
    private void compareElements(String path, List<?> theirs, List<?> ours) {
        if (!path.endsWith("/fields")) {
            for (int i = 0; i < Math.max(theirs.size(), ours.size()); i++) {
                compare(path + "/" + i, at(theirs, i), at(ours, i));
            }
            return;
        }
        Map<String, Map<?, ?>> our = byName(ours);
        Map<String, Map<?, ?>> their = byName(theirs);
        their.forEach((name, field) -> {
            if (our.containsKey(name)) {
                compare(path + "/" + name, field, our.get(name));
            } else if (path.matches("/schema/fields/(before|after)/fields")) {
                missingColumns.add(name);
            } else {
                found.add("%s/%s: ours has no such field".formatted(path, name));
            }
        });
        our.keySet().stream()
                .filter(name -> !their.containsKey(name))
                .forEach(name -> found.add("%s/%s: only in ours".formatted(path, name)));
    }

    private static Map<String, Map<?, ?>> byName(List<?> fields) {
        return fields.stream()
                .map(field -> (Map<?, ?>) field)
                .collect(Collectors.toMap(field -> String.valueOf(field.get("field")), Function.identity()));
    }

    private static @Nullable Object at(List<?> list, int index) {
        return index < list.size() ? list.get(index) : "nothing";
    }

    private static boolean equal(@Nullable Object theirs, @Nullable Object ours) {
        return theirs instanceof BigDecimal their && ours instanceof BigDecimal our
                ? their.compareTo(our) == 0
                : Objects.equals(theirs, ours);
    }
}
