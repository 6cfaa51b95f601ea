package dev.spream.core.serialization;

import static java.util.Objects.requireNonNull;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The types whose values are stored as JSON, each with a name, a class, and the steps from its older versions. Names are
 * stored and classes are not, so a class may be renamed or moved.
 *
 * <p>A type without {@linkplain Upcaster upcasters} has version 1; with n upcasters it has version n + 1, and values of
 * all older versions can be read. The version is a part of the stored name, see {@link SerializedValue#type}.
 *
 * <p>Immutable, and safe for use by many threads.
 */
public final class TypeRegistry {
    private final JsonSerializer serializer;
    private final Map<String, RegisteredType> byName;
    private final Map<Class<?>, RegisteredType> byClass;

    private TypeRegistry(Builder builder) {
        serializer = builder.serializer;
        byName = Map.copyOf(builder.byName);
        byClass = Map.copyOf(builder.byClass);
    }

    public static Builder builder(JsonSerializer serializer) {
        return new Builder(serializer);
    }

    /**
     * Returns the value as JSON, under the name of its type in the current version.
     *
     * @throws IllegalArgumentException if its class is not registered
     * @throws SerializationException if it cannot be written
     */
    public SerializedValue serialize(Object value) {
        RegisteredType type = byClass.get(value.getClass());
        if (type == null) {
            throw new IllegalArgumentException(
                    "%s is not registered as a type".formatted(value.getClass().getName()));
        }
        return new SerializedValue(type.currentName(), serializer.write(value));
    }

    /**
     * Returns the value, after the upcasters from its version on.
     *
     * @throws SerializationException if its type is not registered, its version is newer than that of the registered
     *     type, an upcaster failed, or its text is not a value of the class
     */
    public Object deserialize(SerializedValue value) {
        VersionedName name = VersionedName.parse(value.type());
        RegisteredType type = byName.get(name.name());
        if (type == null) {
            throw new SerializationException("type '%s' is not registered".formatted(value.type()));
        }
        return type.read(name, value.json(), serializer);
    }

    /** Returns a stored type name without its version: {@code MoneyDeposited} of {@code MoneyDeposited@2}. */
    public static String withoutVersion(String storedName) {
        return VersionedName.parse(storedName).name();
    }

    /** Returns the class of a stored type name, whatever its version; empty if the type is not registered. */
    public Optional<Class<?>> classOf(String storedName) {
        return Optional.ofNullable(byName.get(VersionedName.parse(storedName).name()))
                .map(RegisteredType::type);
    }

    /**
     * Checks that the class is registered, or if it is sealed, every class that it permits, so that a missing one is found
     * before its first value.
     *
     * @throws IllegalArgumentException if classes are missing, which it names
     */
    public void requireRegistered(Class<?> type) {
        List<String> missing = concrete(type)
                .filter(permitted -> !byClass.containsKey(permitted))
                .map(Class::getName)
                .sorted()
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("not registered as types: " + String.join(", ", missing));
        }
    }

    private static Stream<Class<?>> concrete(Class<?> type) {
        if (type.isSealed()) {
            return Arrays.stream(type.getPermittedSubclasses()).flatMap(TypeRegistry::concrete);
        }
        return Modifier.isAbstract(type.getModifiers()) ? Stream.empty() : Stream.of(type);
    }

    /** Collects types. Not safe for use by several threads. */
    public static final class Builder {
        private final JsonSerializer serializer;
        private final Map<String, RegisteredType> byName = new HashMap<>();
        private final Map<Class<?>, RegisteredType> byClass = new HashMap<>();

        private Builder(JsonSerializer serializer) {
            this.serializer = requireNonNull(serializer, "serializer");
        }

        /**
         * Adds a type.
         *
         * @param name its stored name, which must never change: 1 to 190 characters, not all blank, without
         *     {@code @} and control characters
         * @param type the class of its values, exactly, in the current version
         * @param upcasters the steps from version 1 to 2, from 2 to 3 and so on, up to the current version
         * @throws IllegalArgumentException if the name is not valid, or the name or the class is registered already
         */
        public Builder type(String name, Class<?> type, Upcaster... upcasters) {
            RegisteredType registered = new RegisteredType(name, type, List.of(upcasters));
            if (byClass.putIfAbsent(type, registered) != null) {
                throw new IllegalArgumentException("class %s is registered twice".formatted(type.getName()));
            }
            return named(name, registered);
        }

        /**
         * Adds a former name of a type: values stored under it are read, and new ones are not written under it. Its versions are
         * those of the type.
         *
         * @throws IllegalArgumentException if the class is not registered, or the name is registered already
         */
        public Builder formerName(String name, Class<?> type) {
            RegisteredType registered = byClass.get(type);
            if (registered == null) {
                throw new IllegalArgumentException("class %s is not registered".formatted(type.getName()));
            }
            return named(name, registered);
        }

        private Builder named(String name, RegisteredType type) {
            VersionedName.check(name);
            if (byName.putIfAbsent(name, type) != null) {
                throw new IllegalArgumentException("type name '%s' is registered twice".formatted(name));
            }
            return this;
        }

        public TypeRegistry build() {
            return new TypeRegistry(this);
        }
    }
}
