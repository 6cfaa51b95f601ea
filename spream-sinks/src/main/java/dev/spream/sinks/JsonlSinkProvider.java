package dev.spream.sinks;

import com.google.auto.service.AutoService;
import dev.spream.api.format.ConfiguredFormat;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sink {@code jsonl}: a file of changes, one JSON object per line in the shape of the documentation's {@code
 * data_change_record}; with another {@code format}, a line for each row, and those of a change written together. No
 * watermark is stored before the changes that it covers are on disk; many changes share the
 * cost of forcing the file.
 *
 * <p>A file that is full, or old enough, is renamed to a name with the time, such as {@code
 * changes-20260131T120000.000Z-000001.jsonl} for {@code changes.jsonl}; those names sort by time, and are never reused.
 * A file contains whole lines only: a part of a line that a crash or a full disk left is removed, with a warning, and
 * its change is delivered again. Files are created with permissions for their owner alone. One process at a time can
 * write them, which a lock file with the same name and {@code .lock} ensures.
 */
@AutoService(ConsumerProvider.class)
public final class JsonlSinkProvider implements ConsumerProvider {
    private static final ConfigKey<Path> PATH = ConfigKey.of(
                    "path",
                    ConfigType.path(),
                    "File of the changes, one JSON object per line. The file is created if absent; its folder is not.")
            .required();
    private static final ConfigKey<Long> MAX_SIZE = ConfigKey.of(
                    "max-size",
                    ConfigType.size(1L << 10, 1L << 40),
                    "Maximum size of the file. A file that would exceed it is renamed, with the time in its name, and a new one is begun.")
            .withDefaultMeaning("no limit");
    private static final ConfigKey<Duration> MAX_AGE = ConfigKey.of(
                    "max-age",
                    ConfigType.duration(Duration.ofSeconds(1), Duration.ofDays(366)),
                    "Maximum age of the file. An older one is renamed, with the time in its name, and a new one is begun.")
            .withDefaultMeaning("no limit");
    private static final ConfigKey<Integer> KEEP = ConfigKey.of(
                    "keep",
                    ConfigType.integer(1, 100_000),
                    "Number of renamed files that are kept; older ones are deleted.")
            .withDefaultMeaning("all");

    @Override
    public String name() {
        return "jsonl";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return Stream.concat(Stream.of(PATH, MAX_SIZE, MAX_AGE, KEEP), ConfiguredFormat.keysOfText().stream())
                .toList();
    }

    @Override
    public List<String> problems(PluginConfig config) {
        return Stream.of(WritableFile.problems(config.get(PATH)), ConfiguredFormat.problems(config))
                .flatMap(List::stream)
                .toList();
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        Rotation rotation = new Rotation(config.find(MAX_SIZE), config.find(MAX_AGE), config.find(KEEP));
        ChangeLines format = new ChangeLines(ConfiguredFormat.ofRows(config, context));
        Path path = config.get(PATH);
        try {
            return JsonlSink.open(path, rotation, format, context.clock());
        } catch (NoSuchFileException e) {
            throw new IllegalArgumentException(
                    "path: the folder of %s does not exist; create it".formatted(path.toAbsolutePath()), e);
        } catch (AccessDeniedException e) {
            throw new IllegalArgumentException(
                    "path: %s may not be written by the user of this process".formatted(path.toAbsolutePath()), e);
        } catch (IOException e) {
            throw new IllegalArgumentException("path: " + e.getMessage(), e);
        }
    }
}
