package dev.spream.benchmarks.formats;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ConfiguredFormat;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.FormatProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;

/** A plug-in's format of the class path, as a sink gets it. */
final class PluginFormat {
    private PluginFormat() {}

    /** Returns the messages of the format that is found by its name, with these keys. */
    static ChangeFormat of(String name, Map<String, String> keys) {
        try {
            Format format = ServiceLoader.load(FormatProvider.class).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(provider -> provider.name().equals(name))
                    .findFirst()
                    .orElseThrow()
                    .create(new Values(keys), new Context(Optional.empty()));
            return ConfiguredFormat.of(new Values(Map.of("format", name)), new Context(Optional.of(format)));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private record Values(Map<String, String> values) implements PluginConfig {
        @Override
        public <T> T get(ConfigKey<T> key) {
            return find(key).orElseThrow();
        }

        @Override
        public <T> Optional<T> find(ConfigKey<T> key) {
            return Optional.ofNullable(values.get(key.name()))
                    .map(key.type()::read)
                    .or(key::defaultValue);
        }
    }

    private record Context(Optional<Format> known) implements PluginContext {
        @Override
        public InstantSource clock() {
            return InstantSource.system();
        }

        @Override
        public String subscription() {
            return "benchmark";
        }

        @Override
        public Format format() {
            return known.orElseThrow();
        }

        @Override
        public void onClose(AutoCloseable resource) {
            throw new UnsupportedOperationException("without a registry nothing is held");
        }
    }
}
