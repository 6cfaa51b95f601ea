package dev.spream.sink.gcs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.google.cloud.storage.Storage;
import dev.spream.api.ConfigCheck;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.sink.files.CommittedFile;
import dev.spream.sink.files.FilesKeys;
import dev.spream.sink.files.FilesReader;
import dev.spream.sink.files.ObjectStore;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sink on Google's imitation of Cloud Storage in memory, and its configuration. */
final class GcsSinkTest {
    private static final Delivery FIRST =
            new Delivery(new PartitionToken("p"), 1, 1, Optional.empty(), Optional.empty());
    private static final Delivery SECOND =
            new Delivery(new PartitionToken("p"), 2, 1, Optional.empty(), Optional.empty());

    private final Storage storage = MemoryStorage.create();

    private Consumer sink() throws InterruptedException {
        return FilesKeys.open(GcsStore.of(storage, "changes", "orders"), new Defaults(), new Context());
    }

    @Test
    void changes_that_come_again_count_once() throws Exception {
        Consumer first = sink();
        Consumer second = sink();
        first.consume(Changes.of(1, "a"), FIRST);
        first.consume(Changes.of(2, "a"), FIRST);
        second.consume(Changes.of(1, "a"), SECOND);
        second.consume(Changes.of(2, "a"), SECOND);
        second.consume(Changes.of(3, "a"), SECOND);
        first.flush();
        second.flush();
        try (ObjectStore store = GcsStore.of(storage, "changes", "orders")) {
            assertThat(FilesReader.of(store).files())
                    .extracting(CommittedFile::changes)
                    .containsExactly(2L, 1L);
        }
    }

    @Test
    void an_emulator_takes_no_credentials() {
        assertThat(ConfigCheck.of(SpreamConfig.of(Map.of(
                                "sink", "gcs",
                                "sink.gcs.bucket", "changes",
                                "sink.gcs.emulator", "http://127.0.0.1:9",
                                "sink.gcs.credentials-file", "key.json")))
                        .problems())
                .anyMatch(problem -> problem.startsWith("sink.gcs.emulator: it takes no credentials"));
    }

    @Test
    void credentials_that_cannot_be_read_are_not_shown(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("key.json");
        for (String content : List.of(
                "s3cret-key",
                "{\"type\": \"s3cret-key\"}",
                "{\"type\": \"service_account\", \"private_key\": \"s3cret-key\", \"client_email\": \"a@b\", \"client_id\": \"1\", \"private_key_id\": \"2\"}")) {
            Files.writeString(file, content);
            SpreamConfig config = SpreamConfig.of(
                    Map.of("sink", "gcs", "sink.gcs.bucket", "changes", "sink.gcs.credentials-file", file.toString()));
            try (Spream spream = Spream.builder(config)
                    .source(new ScriptedSource().roots("p"))
                    .storage(new InMemoryPartitionStorage())
                    .build()) {
                assertThatThrownBy(spream::run)
                        .as(content)
                        .hasMessageContaining("credentials-file: " + file + " contains no valid credentials")
                        .extracting(GcsSinkTest::stackTrace, STRING)
                        .doesNotContain("s3cret");
            }
        }
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void a_prefix_with_a_slash_at_its_end_is_refused() {
        assertThatThrownBy(() -> FilesKeys.PREFIX.read("orders/")).hasMessageContaining("without a slash at the ends");
    }

    private record Defaults() implements PluginConfig {
        @Override
        public <T> T get(ConfigKey<T> key) {
            return find(key).orElseThrow();
        }

        @Override
        public <T> Optional<T> find(ConfigKey<T> key) {
            return key.defaultValue();
        }
    }

    private record Context() implements PluginContext {
        @Override
        public InstantSource clock() {
            return InstantSource.system();
        }

        @Override
        public String subscription() {
            return "Orders";
        }

        @Override
        public void onClose(AutoCloseable resource) {
            throw new UnsupportedOperationException("the sink closes what it opens");
        }
    }
}
