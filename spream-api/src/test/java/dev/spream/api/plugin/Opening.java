package dev.spream.api.plugin;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.consume.Consumer;
import java.time.InstantSource;
import java.util.Optional;

/** Short ways to open plug-ins in tests. */
final class Opening {
    static final PluginConfig NOTHING_CONFIGURED = new PluginConfig() {
        @Override
        public <T> T get(ConfigKey<T> key) {
            throw new IllegalStateException(key + " is not configured");
        }

        @Override
        public <T> Optional<T> find(ConfigKey<T> key) {
            return Optional.empty();
        }
    };

    private Opening() {}

    static <T> OpenPlugin<T> open(Plugin<T> plugin) {
        return plugin.open(NOTHING_CONFIGURED, InstantSource.system(), "Orders");
    }

    static OpenPlugin<Consumer> sink(PluginRegistry registry, String name) {
        return open(registry.find(ConsumerProvider.class, name).orElseThrow());
    }
}
