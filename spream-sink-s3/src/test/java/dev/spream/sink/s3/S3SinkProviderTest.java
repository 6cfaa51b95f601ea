package dev.spream.sink.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.ConfigCheck;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.sink.files.CommittedFile;
import dev.spream.sink.files.FilesReader;
import dev.spream.sink.files.ObjectStore;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sink {@code s3} as it is configured. */
final class S3SinkProviderTest {
    @TempDir
    private static Path folder;

    private static S3Server server;

    @BeforeAll
    static void start() throws Exception {
        server = S3Server.start(folder, 0);
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static Map<String, String> config(Map<String, String> more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "sink",
                "s3",
                "sink.s3.bucket",
                S3Server.BUCKET,
                "sink.s3.prefix",
                "lake/orders",
                "sink.s3.endpoint",
                server.endpoint().toString(),
                "sink.s3.region",
                "eu-west-1",
                "sink.s3.access-key-id",
                S3Server.KEY_ID,
                "sink.s3.secret-access-key",
                S3Server.SECRET,
                "start",
                ScriptedSource.START.toString(),
                "end",
                ScriptedSource.at(10).toString()));
        config.putAll(more);
        return config;
    }

    private static Spream spream(Map<String, String> more) {
        return Spream.builder(SpreamConfig.of(config(more)))
                .source(new ScriptedSource().roots("p").change("p", 1, "a").change("p", 2, "b"))
                .storage(new InMemoryPartitionStorage())
                .build();
    }

    @Test
    void changes_are_in_the_bucket_and_nothing_else_is_below_the_prefix() {
        try (Spream spream = spream(Map.of())) {
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        }
        try (ObjectStore store = S3Store.of(S3Server.client(server.endpoint()), S3Server.BUCKET, "lake/orders")) {
            assertThat(FilesReader.of(store).files())
                    .extracting(CommittedFile::changes)
                    .containsExactly(2L);
            assertThat(store.list("checks/")).isEmpty();
        }
    }

    @Test
    void a_bucket_that_does_not_exist_is_refused_with_what_to_do() {
        try (Spream spream = spream(Map.of("sink.s3.bucket", "nowhere"))) {
            assertThatThrownBy(spream::run)
                    .hasMessageContaining("s3://nowhere/lake/orders/checks/")
                    .hasMessageContaining("NoSuchBucket (status 404); create the bucket");
        }
    }

    @Test
    void credentials_that_are_wrong_are_refused_and_not_shown() {
        String wrong = "wrong-secret-0123456789";
        try (Spream spream = spream(Map.of("sink.s3.secret-access-key", wrong))) {
            assertThatThrownBy(spream::run)
                    .hasMessageContaining("the credentials need s3:PutObject")
                    .hasMessageNotContaining(wrong);
        }
        assertThat(ConfigCheck.of(SpreamConfig.of(config(Map.of("sink.s3.secret-access-key", wrong))))
                        .toString())
                .doesNotContain(wrong);
    }

    @Test
    void half_a_key_is_refused() {
        Map<String, String> config = config(Map.of());
        config.remove("sink.s3.secret-access-key");
        config.putAll(Map.of(
                "source.spanner.database", "projects/p/instances/i/databases/d",
                "source.spanner.stream", "Orders",
                "storage", "memory"));
        assertThat(ConfigCheck.of(SpreamConfig.of(config)).problems())
                .anyMatch(problem -> problem.startsWith(
                        "sink.s3.access-key-id: configure secret-access-key as well, or neither of them"));
    }
}
