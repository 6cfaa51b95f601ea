package dev.spream.api.config;

import dev.spream.api.spi.ConfigKey;
import java.util.Optional;

/**
 * A known key with its effective value, for display.
 *
 * @param key in full, such as {@code storage.jdbc.url}
 * @param section the prefix of the key, such as {@code storage.jdbc}; empty for spream's own
 * @param declaration the type, default and meaning of the key
 * @param inUse false if the key belongs to a plug-in that is not selected; its value is not validated then
 * @param value the effective value on one line, as written, with references unresolved and secrets masked; empty
 *     without one
 * @param origin the place where the value is set, such as {@code spream.properties:3}, {@code SPREAM_CONFIG_STORAGE},
 *     {@code --storage} or {@code default}; empty without a value
 */
public record ConfigEntry(
        String key, String section, ConfigKey<?> declaration, boolean inUse, Optional<String> value, String origin) {}
