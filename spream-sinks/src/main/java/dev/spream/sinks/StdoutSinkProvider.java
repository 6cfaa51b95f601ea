package dev.spream.sinks;

import com.google.auto.service.AutoService;
import dev.spream.api.format.ConfiguredFormat;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.util.List;

/**
 * The sink {@code stdout}: each change as a line of JSON on the standard output of the process; with another {@code
 * format} than {@code record}, each row. It bypasses {@link
 * System#setOut}: a {@link java.io.PrintStream} would hide a full disk, and changes would count as written that are
 * not.
 */
@AutoService(ConsumerProvider.class)
public final class StdoutSinkProvider implements ConsumerProvider {

    @Override
    public String name() {
        return "stdout";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return ConfiguredFormat.keysOfText();
    }

    @Override
    public List<String> problems(PluginConfig config) {
        return ConfiguredFormat.problems(config);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        return JsonLines.start(
                new FileOutputStream(FileDescriptor.out), new ChangeLines(ConfiguredFormat.ofRows(config, context)));
    }
}
