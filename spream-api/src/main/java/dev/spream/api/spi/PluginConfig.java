package dev.spream.api.spi;

import java.util.Optional;

/**
 * The configuration of one plug-in, read by the keys that its provider {@linkplain PluginProvider#keys declares}.
 * Immutable. {@code toString} shows no value.
 */
public interface PluginConfig {

    /**
     * Returns the value of a key that is required or has a default.
     *
     * @throws IllegalArgumentException if the provider did not declare the key
     * @throws IllegalStateException if the key is not configured and is neither required nor has a default
     */
    <T> T get(ConfigKey<T> key);

    /**
     * Returns the value of an optional key: the configured one, or else the default.
     *
     * @throws IllegalArgumentException if the provider did not declare the key
     */
    <T> Optional<T> find(ConfigKey<T> key);
}
