package dev.spream.core.serialization;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A type of a registry: its name, its class, and the steps from version 1 to the current one. */
record RegisteredType(String name, Class<?> type, List<Upcaster> upcasters) {
    RegisteredType {
        requireNonNull(type, "type");
    }

    int version() {
        return upcasters.size() + 1;
    }

    String currentName() {
        return new VersionedName(name, version()).stored();
    }

    Object read(VersionedName stored, String json, JsonSerializer serializer) {
        if (stored.version() > version()) {
            throw new SerializationException(
                    "'%s' has a newer version than this program, which has version %d of type '%s': update the program"
                            .formatted(stored.stored(), version(), name));
        }
        String current = stored.version() == version() ? json : upcast(stored, json);
        try {
            return serializer.read(current, type);
        } catch (SerializationException e) {
            throw new SerializationException("type '%s': %s".formatted(stored.stored(), e.getMessage()));
        }
    }

    private String upcast(VersionedName stored, String json) {
        Map<String, @Nullable Object> data = members(stored, json);
        for (int version = (int) stored.version(); version < version(); version++) {
            try {
                upcasters.get(version - 1).upcast(data);
            } catch (RuntimeException e) {
                // without the cause, whose message may have the data
                throw new SerializationException("the upcaster of type '%s' from version %d failed: %s"
                        .formatted(name, version, e.getClass().getName()));
            }
        }
        try {
            return Json.text(data);
        } catch (RuntimeException | StackOverflowError e) {
            throw new SerializationException(
                    "the upcasters of type '%s' from version %d have put a value that JSON does not have, or an object into itself"
                            .formatted(name, stored.version()));
        }
    }

    private static Map<String, @Nullable Object> members(VersionedName stored, String json) {
        try {
            if (Json.parse(json) instanceof Map<?, ?> object) {
                return mutable(object);
            }
        } catch (IllegalArgumentException e) {
            throw new SerializationException(
                    "a value of type '%s' is not JSON text: %s".formatted(stored.stored(), e.getMessage()));
        }
        throw new SerializationException(
                "a value of type '%s' is no JSON object, which its upcasters need".formatted(stored.stored()));
    }

    private static Map<String, @Nullable Object> mutable(Map<?, ?> object) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        object.forEach((member, value) -> members.put((String) member, mutable(value)));
        return members;
    }

    private static @Nullable Object mutable(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> object -> mutable(object);
            case List<?> list -> {
                List<@Nullable Object> elements = new ArrayList<>();
                list.forEach(element -> elements.add(mutable(element)));
                yield elements;
            }
            case null, default -> value;
        };
    }
}
