package com.example.collector;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** The sink {@code collector}: posts changes to an HTTP collector, several in one request. */
public final class CollectorSinkProvider implements ConsumerProvider {
    private static final ConfigKey<URI> URL = ConfigKey.of(
                    "url", ConfigType.url("http", "https"), "The address to which changes are posted.")
            .required();
    private static final ConfigKey<String> TOKEN = ConfigKey.of(
                    "token", ConfigType.text(), "The bearer token of the requests.")
            .secret();
    private static final ConfigKey<Duration> TIMEOUT = ConfigKey.of(
                    "timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
                    "The time limit of a request.")
            .withDefault(Duration.ofSeconds(10));

    @Override
    public String name() {
        return "collector";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(URL, TOKEN, TIMEOUT);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        return new CollectorSink(config.get(URL), config.find(TOKEN), config.get(TIMEOUT));
    }
}
