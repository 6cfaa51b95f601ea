package dev.spream.sink.gcs;

import com.google.auth.oauth2.GoogleCredentials;
import com.google.auto.service.AutoService;
import com.google.cloud.NoCredentials;
import com.google.cloud.storage.Storage;
import com.google.cloud.storage.StorageOptions;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import dev.spream.sink.files.FilesKeys;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The sink {@code gcs}: immutable files of changes in Google Cloud Storage, and a log that makes each change count once.
 * Credentials are the application default credentials, unless a file is configured.
 */
@AutoService(ConsumerProvider.class)
public final class GcsSinkProvider implements ConsumerProvider {
    private static final ConfigKey<String> BUCKET =
            ConfigKey.of("bucket", ConfigType.text(), "Bucket, which exists.").required();
    private static final ConfigKey<String> PREFIX = ConfigKey.of(
                    "prefix",
                    FilesKeys.PREFIX,
                    "Beginning of the names of all objects, without a slash at its end; one for each subscription.")
            .withDefaultMeaning("none");
    private static final ConfigKey<Path> CREDENTIALS_FILE = ConfigKey.of(
                    "credentials-file",
                    ConfigType.path(),
                    "File with the key of a service account or the configuration of a workload identity, as JSON.")
            .withDefaultMeaning("the application default credentials");
    private static final ConfigKey<URI> EMULATOR = ConfigKey.of(
            "emulator",
            ConfigType.url("http", "https"),
            "Address of an emulator to use instead of Cloud Storage, without credentials.");

    @Override
    public String name() {
        return "gcs";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return FilesKeys.with(BUCKET, PREFIX, CREDENTIALS_FILE, EMULATOR);
    }

    @Override
    public List<String> problems(PluginConfig config) {
        if (config.find(EMULATOR).isPresent() && config.find(CREDENTIALS_FILE).isPresent()) {
            return List.of("emulator: it takes no credentials; remove credentials-file, or the emulator");
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
        return FilesKeys.open(
                GcsStore.of(
                        client(config), config.get(BUCKET), config.find(PREFIX).orElse("")),
                config,
                context);
    }

    private static Storage client(PluginConfig config) {
        StorageOptions.Builder options = StorageOptions.newBuilder();
        Optional<URI> emulator = config.find(EMULATOR);
        Optional<Path> file = config.find(CREDENTIALS_FILE);
        if (emulator.isPresent()) {
            options.setHost(emulator.get().toString())
                    .setProjectId("emulator")
                    .setCredentials(NoCredentials.getInstance());
        } else if (file.isPresent()) {
            options.setCredentials(credentials(file.get()));
        }
        return options.build().getService();
    }

    /** Without the cause of a failure, which may quote the content. */
    private static GoogleCredentials credentials(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return GoogleCredentials.fromStream(in);
        } catch (FileSystemException e) {
            throw new IllegalArgumentException("credentials-file: %s cannot be read".formatted(file), e);
        } catch (IOException | RuntimeException e) {
            throw new IllegalArgumentException(
                    "credentials-file: %s contains no valid credentials (%s); expected the key of a service account, or the configuration of a workload identity"
                            .formatted(file, e.getClass().getSimpleName()));
        }
    }
}
