package dev.spream.sinks;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The configuration of a provider in a test: texts, read by the keys that it declares. */
public record TestConfig(List<ConfigKey<?>> keys, Map<String, String> values) implements PluginConfig {

    public static TestConfig of(PluginProvider<?> provider, Map<String, String> values) {
        List<String> known = provider.keys().stream().map(ConfigKey::name).toList();
        for (String name : values.keySet()) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("no key %s among %s".formatted(name, known));
            }
        }
        return new TestConfig(provider.keys(), values);
    }

    @Override
    public <T> T get(ConfigKey<T> key) {
        return find(key).orElseThrow(() -> new IllegalStateException("nothing configured for " + key));
    }

    @Override
    public <T> Optional<T> find(ConfigKey<T> key) {
        if (keys.stream().noneMatch(declared -> declared.name().equals(key.name()))) {
            throw new IllegalArgumentException("not declared: " + key);
        }
        return Optional.ofNullable(values.get(key.name())).map(key.type()::read).or(key::defaultValue);
    }
}
