package dev.spream.cli.storage;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.PluginProvider;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Opens plug-ins of the class path for commands that are set up by flags rather than a configuration. */
public final class FlagPlugins {
    private FlagPlugins() {}

    /**
     * Opens a plug-in; the caller closes it.
     *
     * @param settings the literal values of its keys
     * @throws ConfigException if the values are invalid
     */
    public static <T> OpenPlugin<T> open(
            Class<? extends PluginProvider<T>> type, String name, Map<String, String> settings, String subscription) {
        PluginRegistry plugins = PluginRegistry.discover(FlagPlugins.class.getClassLoader(), Optional.empty());
        Plugin<T> plugin = plugins.find(type, name).orElseThrow(() -> new ConfigException(plugins.problems()));
        String section = plugin.section();
        SpreamConfig.Builder config = SpreamConfig.builder();
        settings.forEach((key, value) -> config.set(section + "." + key, value.replace("${", "$${")));
        ResolvedConfig resolved =
                ResolvedConfig.of(config.build(), List.of(new ConfigSection(section, plugin.keys(), true)));
        if (!resolved.problems().isEmpty()) {
            throw new ConfigException(resolved.problems());
        }
        List<String> contradictions = plugin.problems(resolved.section(section));
        if (!contradictions.isEmpty()) {
            throw new ConfigException(contradictions);
        }
        return plugin.open(resolved.section(section), InstantSource.system(), subscription);
    }
}
