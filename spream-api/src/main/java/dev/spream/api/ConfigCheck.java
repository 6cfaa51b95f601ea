package dev.spream.api;

import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import java.util.List;

/**
 * The result of validating a configuration as {@link Spream#create} does, without throwing an exception: every problem,
 * and the effective value and origin of every known key. It applies to a program that provides no components itself.
 * Only the jars of plug-ins are opened.
 *
 * @param problems every problem; empty if the configuration is valid
 * @param entries every known key, spream's own first
 */
public record ConfigCheck(List<String> problems, List<ConfigEntry> entries) {
    public ConfigCheck {
        problems = List.copyOf(problems);
        entries = List.copyOf(entries);
    }

    /** Validates the configuration against the plug-ins on the class path and in the configured folder. */
    public static ConfigCheck of(SpreamConfig config) {
        try (PluginRegistry plugins = ConfigValidation.discover(config)) {
            return of(config, plugins);
        }
    }

    /** Validates the configuration against these plug-ins, which the caller closes. */
    public static ConfigCheck of(SpreamConfig config, PluginRegistry plugins) {
        ConfigValidation validation = ConfigValidation.of(config, plugins, new ProvidedComponents());
        return new ConfigCheck(validation.problems(), validation.resolved().entries());
    }
}
