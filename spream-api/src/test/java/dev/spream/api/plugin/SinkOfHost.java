package dev.spream.api.plugin;

import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;

/** A sound provider in a package that plug-ins see of their host, as those that spream-api brings are. */
public final class SinkOfHost implements ConsumerProvider {
    @Override
    public String name() {
        return "of-host";
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        return (change, delivery) -> {};
    }
}
