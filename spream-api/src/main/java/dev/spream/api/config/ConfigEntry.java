package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;
import java.util.Optional;

/**
 * A key that exists, for people.
 *
 * @param key in full, such as {@code storage.jdbc.url}
 * @param section what the key begins with, such as {@code storage.jdbc}; empty for spream's own
 * @param declaration its type, default and meaning
 * @param inUse false if it belongs to a plug-in that was not chosen; the value is not judged then
 * @param value what holds, on one line: as it was written, with references in place of what they stand for, and a mask in
 *     place of a secret; empty if nothing holds
 * @param origin where that was said, such as {@code spream.properties:3}, {@code SPREAM_CONFIG_STORAGE}, {@code --storage} or
 *     {@code default}; empty if nothing holds
 */
public record ConfigEntry(
        String key, String section, ConfigKey<?> declaration, boolean inUse, Optional<String> value, String origin) {

    /** The variable of the environment that configures it. */
    public String variable() {
        return SpreamConfig.variable(key);
    }
}
