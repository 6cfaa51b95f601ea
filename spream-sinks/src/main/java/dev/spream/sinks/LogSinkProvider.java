package dev.spream.sinks;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.util.List;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The sink {@code log}: a log line for each change, with its table, kind and time, and without values of rows or keys.
 */
@AutoService(ConsumerProvider.class)
public final class LogSinkProvider implements ConsumerProvider {
    private static final ConfigKey<Level> LEVEL = ConfigKey.of(
                    "level", ConfigType.choice(Level.class), "Level of the log lines.")
            .withDefault(Level.INFO);
    private static final ConfigKey<String> LOGGER =
            ConfigKey.of("logger", ConfigType.text(), "Name of the logger.").withDefault("dev.spream.sink");

    @Override
    public String name() {
        return "log";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(LEVEL, LOGGER);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        return new LogSink(LoggerFactory.getLogger(config.get(LOGGER)), config.get(LEVEL), context.subscription());
    }
}
