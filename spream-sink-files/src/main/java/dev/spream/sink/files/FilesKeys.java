package dev.spream.sink.files;

import dev.spream.api.format.ConfiguredFormat;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.FileFormat;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The configuration keys that all sinks of files share, and what their providers do alike. */
public final class FilesKeys {
    /** The {@code watermark-interval} of such a sink, if none is configured: about the age of the files. */
    public static final Duration WATERMARK_INTERVAL = Duration.ofSeconds(30);

    /** The type of the beginning of all names of objects. */
    public static final ConfigType<String> PREFIX =
            new ConfigType<>("folders, of letters, digits, . _ = -", FilesKeys::requireFolders, prefix -> prefix);

    private static final Pattern FOLDERS = Pattern.compile("[A-Za-z0-9._=-]+(/[A-Za-z0-9._=-]+)*");
    private static final ConfigKey<PathPattern> PATH = ConfigKey.of(
                    "path",
                    new ConfigType<>(PathPattern.FORM, PathPattern::new, PathPattern::text),
                    "Folders of the files below data/, by the commit timestamps (UTC) and the tables of the changes.")
            .withDefault(new PathPattern("dt={date}/hour={hour}"));
    private static final String JSON_LINES = "record";
    private static final ConfigKey<String> FORMAT = ConfigKey.of(
                    "format",
                    ConfiguredFormat.nameOr(List.of(JSON_LINES)),
                    "Format of the files: the documentation's record, as lines of JSON; or that of a plug-in, such as avro of"
                            + " spream-format-avro.")
            .withDefault(JSON_LINES);
    private static final ConfigKey<Compression> COMPRESSION = ConfigKey.of(
                    "compression",
                    ConfigType.choice(Compression.class),
                    "Compression of the files: gzip or none of lines of JSON, and deflate, zstandard or none inside of files of"
                            + " other formats.")
            .withDefaultMeaning("gzip of lines of JSON, deflate of other formats");
    private static final ConfigKey<Long> MAX_SIZE = ConfigKey.of(
                    "max-size",
                    ConfigType.size(1L << 10, 1L << 30),
                    "Size of the collected changes, before compression, at which they are committed ahead of the"
                            + " watermark-interval. About twice as much memory is used.")
            .withDefault(32L << 20);
    private static final ConfigKey<Duration> RETRY_FOR = ConfigKey.of(
                    "retry-for",
                    ConfigType.duration(Duration.ZERO, Duration.ofDays(1)),
                    "Time for which failures of the store that may pass are retried. Afterwards the subscription stops.")
            .withDefault(Duration.ofMinutes(5));
    private static final ConfigKey<Instant> TAKE_OVER = ConfigKey.of(
            "take-over",
            new ConfigType<>("timestamp", FilesKeys::timestamp, Instant::toString),
            "Time at which another subscription of this name was stored, whose log this one continues: the refusal of"
                    + " that log has it. The other one must have ended.");

    private FilesKeys() {}

    private static String requireFolders(String prefix) {
        if (!FOLDERS.matcher(prefix).matches()) {
            throw new IllegalArgumentException(
                    "expected folders, of letters, digits, . _ = -, without a slash at the ends");
        }
        return prefix;
    }

    private static Instant timestamp(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("expected a timestamp, such as 2026-01-31T12:00:00.123456Z", e);
        }
    }

    /** Returns the keys of a provider: its own, and the shared ones after them. */
    public static List<ConfigKey<?>> with(ConfigKey<?>... own) {
        return Stream.concat(Stream.of(own), Stream.of(PATH, FORMAT, COMPRESSION, MAX_SIZE, RETRY_FOR, TAKE_OVER))
                .toList();
    }

    /** Returns the problems of the shared keys. */
    public static List<String> problems(PluginConfig config) {
        boolean isText = config.get(FORMAT).equals(JSON_LINES);
        return config
                .find(COMPRESSION)
                .filter(compression -> compression != Compression.NONE && (compression == Compression.GZIP) != isText)
                .map(compression -> "compression: %s is not one of format=%s, which has %s"
                        .formatted(
                                COMPRESSION.type().write(compression),
                                config.get(FORMAT),
                                isText ? "gzip and none" : "deflate, zstandard and none"))
                .stream()
                .toList();
    }

    private static FileFormat format(PluginConfig config, PluginContext context) {
        String name = config.get(FORMAT);
        Optional<Compression> compression = config.find(COMPRESSION);
        if (name.equals(JSON_LINES)) {
            return new JsonLinesFormat(compression.orElse(Compression.GZIP) == Compression.GZIP);
        }
        return context.format()
                .files(COMPRESSION.type().write(compression.orElse(Compression.DEFLATE)))
                .orElseThrow(() -> new IllegalArgumentException("format: %s has no files".formatted(name)));
    }

    /**
     * Opens the sink on a store, which it closes.
     *
     * @throws IllegalArgumentException if the store does not fit
     */
    public static Consumer open(ObjectStore store, PluginConfig config, PluginContext context)
            throws InterruptedException {
        FileFormat format;
        try {
            format = format(config, context);
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
        FilesOptions options = new FilesOptions(config.get(PATH), format, config.get(MAX_SIZE), config.get(RETRY_FOR));
        LogOwner owner = new LogOwner(context.subscription(), context.storedSubscription(), config.find(TAKE_OVER));
        try {
            return FilesSink.open(store, owner, options, context.clock());
        } catch (ObjectStoreException e) {
            if (e.retryable()) {
                throw e;
            }
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }
}
