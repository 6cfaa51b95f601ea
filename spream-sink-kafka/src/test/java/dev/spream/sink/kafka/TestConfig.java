package dev.spream.sink.kafka;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.StoredSubscription;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The configuration of the provider in a test: texts, read by the keys that it declares. */
record TestConfig(List<ConfigKey<?>> keys, Map<String, String> values) implements PluginConfig {
    static final PluginContext CONTEXT = new TestContext(Optional.of(() -> Optional.of(Instant.EPOCH)));

    /** The context of a sink that replays dead letters. */
    static final PluginContext REPLAY = new TestContext(Optional.empty());

    private record TestContext(Optional<StoredSubscription> storedSubscription) implements PluginContext {
        @Override
        public InstantSource clock() {
            return InstantSource.system();
        }

        @Override
        public String subscription() {
            return "Orders";
        }

        @Override
        public void onClose(AutoCloseable resource) {
            throw new UnsupportedOperationException("the sink closes what it opens");
        }
    }

    static TestConfig of(Map<String, String> values) {
        return of(new KafkaSinkProvider(), values);
    }

    static TestConfig of(PluginProvider<?> provider, Map<String, String> values) {
        List<ConfigKey<?>> keys = provider.keys();
        List<String> known = keys.stream().map(ConfigKey::name).toList();
        if (!known.containsAll(values.keySet())) {
            throw new IllegalArgumentException("not all of %s are among %s".formatted(values.keySet(), known));
        }
        return new TestConfig(keys, values);
    }

    @Override
    public <T> T get(ConfigKey<T> key) {
        return find(key).orElseThrow(() -> new IllegalStateException("nothing configured for " + key));
    }

    @Override
    public <T> Optional<T> find(ConfigKey<T> key) {
        return Optional.ofNullable(values.get(key.name())).map(key.type()::read).or(key::defaultValue);
    }
}
