package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginConfig;
import java.util.Map;
import java.util.Optional;

/**
 * The values of one section.
 *
 * @param values of all sections, by the key in full; nothing for a key that is not configured and has no default
 */
record SectionValues(ConfigSection section, Map<String, Object> values) implements PluginConfig {
    SectionValues {
        values = Map.copyOf(values);
    }

    @Override
    public <T> T get(ConfigKey<T> key) {
        return find(key)
                .orElseThrow(() -> new IllegalStateException(
                        "%s is not configured and has no default; it has to be read as a key that may be left out"
                                .formatted(section.fullName(key))));
    }

    @Override
    @SuppressWarnings("unchecked") // the section's key of this name read the value, and keys are compared by name
    public <T> Optional<T> find(ConfigKey<T> key) {
        if (section.keys().stream().noneMatch(declared -> declared.name().equals(key.name()))) {
            throw new IllegalArgumentException("%s is not among the keys that are declared for %s"
                    .formatted(key, section.prefix().isEmpty() ? "spream itself" : section.prefix()));
        }
        return Optional.ofNullable((T) values.get(section.fullName(key)));
    }

    /** Without the values, which may be secrets. */
    @Override
    public String toString() {
        return "SectionValues[%s]".formatted(section.prefix());
    }
}
