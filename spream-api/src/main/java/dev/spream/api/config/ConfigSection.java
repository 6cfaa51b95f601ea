package dev.spream.api.config;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.ConfigKey;
import java.util.List;

/**
 * The keys of spream itself, or of one plug-in.
 *
 * @param prefix the prefix of the keys without the trailing dot, such as {@code storage.jdbc}; empty for spream's own
 * @param inUse false for a plug-in that is not selected: its keys may be configured, but their values are not validated
 */
public record ConfigSection(String prefix, List<ConfigKey<?>> keys, boolean inUse) {
    public ConfigSection {
        requireNonNull(prefix, "prefix");
        keys = List.copyOf(keys);
    }

    String fullName(ConfigKey<?> key) {
        return prefix.isEmpty() ? key.name() : prefix + "." + key.name();
    }
}
