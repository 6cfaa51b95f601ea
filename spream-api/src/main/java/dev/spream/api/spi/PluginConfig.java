package dev.spream.api.spi;

import java.util.Optional;

/**
 * The configuration of one plug-in, read by the keys that its provider {@linkplain PluginProvider#keys declares}.
 * Immutable. Its text shows no value.
 */
public interface PluginConfig {

    /**
     * The value of a key that is required or has a default.
     *
     * @throws IllegalArgumentException if the provider did not declare the key
     * @throws IllegalStateException if nothing was configured, and the key is neither required nor has a default
     */
    <T> T get(ConfigKey<T> key);

    /**
     * The value of a key that may be left out: what was configured, or else the default.
     *
     * @throws IllegalArgumentException if the provider did not declare the key
     */
    <T> Optional<T> find(ConfigKey<T> key);
}
