package dev.spream.format.protobuf;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.Format;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A configuration of the format for tests: texts, read by the keys. */
record Config(Map<String, String> values) implements PluginConfig {

    static Config of(String... pairs) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            values.put(pairs[i], pairs[i + 1]);
        }
        return new Config(values);
    }

    Format format() {
        return new ProtobufFormatProvider().create(this, new Context(new ArrayList<>()));
    }

    @Override
    public <T> T get(ConfigKey<T> key) {
        return find(key).orElseThrow();
    }

    @Override
    public <T> Optional<T> find(ConfigKey<T> key) {
        return Optional.ofNullable(values.get(key.name())).map(key.type()::read).or(key::defaultValue);
    }

    private record Context(List<AutoCloseable> resources) implements PluginContext {
        @Override
        public InstantSource clock() {
            return InstantSource.system();
        }

        @Override
        public String subscription() {
            return "orders";
        }

        @Override
        public void onClose(AutoCloseable resource) {
            resources.add(resource);
        }
    }
}
