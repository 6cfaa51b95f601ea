package dev.spream.api;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginConfig;
import java.util.function.BiConsumer;

/**
 * A key and the option that it sets.
 *
 * @param <B> what collects the options
 */
record OptionKey<B, T>(ConfigKey<T> key, BiConsumer<B, T> setter) {

    /** Sets the option, if something is configured or the key has a default. */
    void apply(PluginConfig config, B options) {
        config.find(key).ifPresent(value -> setter.accept(options, value));
    }
}
