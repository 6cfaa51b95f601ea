package dev.spream.api;

import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import java.util.List;

/**
 * The verdict of {@link Spream#create} on a configuration, without an exception: all that is wrong, and for every key that
 * there is what holds and where it came from, for a program that brings nothing of its own. Nothing is opened, but for the
 * plug-ins' jars.
 *
 * @param problems all that is wrong; empty if it can be used
 * @param entries every known key, spream's own first
 */
public record ConfigCheck(List<String> problems, List<ConfigEntry> entries) {
    public ConfigCheck {
        problems = List.copyOf(problems);
        entries = List.copyOf(entries);
    }

    /** Judges the configuration beside the plug-ins of the class path and of the folder that it names. */
    public static ConfigCheck of(SpreamConfig config) {
        try (PluginRegistry plugins = ConfigValidation.discover(config)) {
            ConfigValidation validation = ConfigValidation.of(config, plugins, new ProvidedComponents());
            return new ConfigCheck(validation.problems(), validation.resolved().entries());
        }
    }
}
