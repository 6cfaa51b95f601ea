package dev.spream.sinks;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import dev.spream.sink.files.FilesKeys;
import dev.spream.sink.files.LocalStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The sink {@code files}: immutable files of changes in a folder, and a log that makes each change count once, whatever
 * crashes when and however many workers write. The sinks {@code s3} and {@code gcs} do the same in object stores.
 */
@AutoService(ConsumerProvider.class)
public final class FilesSinkProvider implements ConsumerProvider {
    private static final ConfigKey<Path> FOLDER = ConfigKey.of(
                    "folder",
                    ConfigType.path(),
                    "Folder of the files and their log, which exists. Workers on several machines need one that all of"
                            + " them mount.")
            .required();

    @Override
    public String name() {
        return "files";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return FilesKeys.with(FOLDER);
    }

    @Override
    public List<String> problems(PluginConfig config) {
        Path folder = config.get(FOLDER).toAbsolutePath();
        if (!Files.isDirectory(folder)) {
            return List.of("folder: %s does not exist, or is not a folder; create it".formatted(folder));
        }
        if (!Files.isWritable(folder)) {
            return List.of("folder: %s may not be written by the user of this process".formatted(folder));
        }
        return FilesKeys.problems(config);
    }

    @Override
    public boolean needsPartitionOrder() {
        return true;
    }

    @Override
    public Optional<Duration> watermarkInterval() {
        return Optional.of(FilesKeys.WATERMARK_INTERVAL);
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) throws InterruptedException {
        return FilesKeys.open(LocalStore.open(config.get(FOLDER)), config, context);
    }
}
