package dev.spream.api;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import java.util.function.BiConsumer;

/**
 * A configuration key with the option that it sets.
 *
 * @param <B> the builder of the options
 */
record OptionKey<B, T>(ConfigKey<T> key, BiConsumer<B, T> setter) {
    static <B, T> OptionKey<B, T> of(
            String name, ConfigType<T> type, String meaning, T defaultValue, BiConsumer<B, T> setter) {
        return new OptionKey<>(ConfigKey.of(name, type, meaning).withDefault(defaultValue), setter);
    }

    static <B, T> OptionKey<B, T> optional(
            String name, ConfigType<T> type, String meaning, String defaultMeaning, BiConsumer<B, T> setter) {
        return new OptionKey<>(ConfigKey.of(name, type, meaning).withDefaultMeaning(defaultMeaning), setter);
    }

    void apply(PluginConfig config, B options) {
        config.find(key).ifPresent(value -> setter.accept(options, value));
    }
}
