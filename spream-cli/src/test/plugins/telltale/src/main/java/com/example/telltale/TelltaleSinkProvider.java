package com.example.telltale;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.util.List;

/** A sink that refuses everything, and quotes its password and a row. */
public final class TelltaleSinkProvider implements ConsumerProvider {
    static final ConfigKey<String> PASSWORD =
            ConfigKey.of("password", ConfigType.text(), "What is quoted.").secret();

    @Override
    public String name() {
        return "telltale";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(PASSWORD);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        String password = config.get(PASSWORD);
        return (change, call) -> {
            throw new IllegalStateException(
                    "sink refused " + password + "\n  Detail: Failing row contains (17, Jane Doe).");
        };
    }
}
