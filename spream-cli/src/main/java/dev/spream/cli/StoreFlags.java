package dev.spream.cli;

import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.Port;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Short flags that stand for keys of the plug-in that fills a port, so that what is in a database needs no file.
 *
 * @param port whose plug-in it is
 * @param otherwise the plug-in that is meant when none is configured
 */
record StoreFlags(ConfigArguments arguments, Port<?> port, String otherwise) {

    /** A key of the plug-in, and what a flag says of it. */
    record Setting(String key, @Nullable Object value) {}

    /** What the keys of the plug-in begin with, the dot behind it included. */
    String prefix(List<String> others) {
        return "%s.%s."
                .formatted(port.key(), arguments.config(others).raw(port.key()).orElse(otherwise));
    }

    /**
     * File, environment and flags, with these among the flags.
     *
     * @param others the arguments that are none of the command's own
     */
    SpreamConfig config(List<String> others, List<Setting> settings) {
        List<String> flags = new ArrayList<>(others);
        if (!arguments.config(others).mayConfigure(port.key())) {
            flags.add("--%s=%s".formatted(port.key(), otherwise));
        }
        String prefix = prefix(others);
        for (Setting setting : settings) {
            if (setting.value() != null) {
                flags.add("--%s%s=%s".formatted(prefix, setting.key(), setting.value()));
            }
        }
        return arguments.config(flags);
    }
}
