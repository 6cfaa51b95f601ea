package dev.spream.api.config;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.ConfigKey;
import java.util.List;

/**
 * The keys of spream itself, or of one plug-in.
 *
 * @param prefix what they begin with, without the dot after it, such as {@code storage.jdbc}; empty for spream's own
 * @param inUse false for a plug-in that was not chosen: its keys may be configured, and their values are not judged
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
