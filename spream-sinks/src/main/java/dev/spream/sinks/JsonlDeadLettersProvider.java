package dev.spream.sinks;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.DeadLetterSinkProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterSink;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** The dead letter sink {@code jsonl}: an append-only file, see {@link JsonlDeadLetterSink}. */
@AutoService(DeadLetterSinkProvider.class)
public final class JsonlDeadLettersProvider implements DeadLetterSinkProvider {
    private static final ConfigKey<Path> PATH = ConfigKey.of(
                    "path",
                    ConfigType.path(),
                    "File of the dead letters, one JSON object per line. The file is created if absent; its folder"
                            + " is not.")
            .required();

    @Override
    public String name() {
        return "jsonl";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(PATH);
    }

    @Override
    public List<String> problems(PluginConfig config) {
        return WritableFile.problems(config.get(PATH));
    }

    @Override
    public DeadLetterSink create(PluginConfig config, PluginContext context) throws IOException {
        Path path = config.get(PATH);
        try {
            return JsonlDeadLetterSink.open(path);
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    "path: the folder of %s does not exist; create it".formatted(path.toAbsolutePath()), e);
        } catch (DeadLetterException e) {
            throw new IllegalArgumentException("path: " + e.getMessage(), e);
        }
    }
}
