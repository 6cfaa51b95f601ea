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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** The sink {@code s3} as it is configured. */
final class S3SinkProviderTest {
    @TempDir
    private static Path folder;

    private static S3Server server;

    @BeforeAll
    static void start() throws Exception {
        server = S3Server.start(folder);
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
    void credentials_that_are_not_found_are_refused_at_the_start() {
        S3Client client = S3Client.builder()
                .region(Region.EU_WEST_1)
                .credentialsProvider(ProfileCredentialsProvider.create("no-such-profile"))
                .build();
        assertThatThrownBy(() -> S3SinkProvider.checked(client))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("no credentials of S3 were found; set access-key-id")
                .hasMessageContaining("no-such-profile");
    }

    @Test
    void a_region_of_the_environment_that_is_none_is_refused_at_the_start() {
        S3Client client = S3Client.builder().region(Region.of("eu west 1")).build();
        assertThatThrownBy(() -> S3SinkProvider.checked(client))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("'eu%20west%201': set region");
    }

    @ParameterizedTest
    @CsvSource({
        "sink.s3.bucket, s3://changes, the name of a bucket",
        "sink.s3.bucket, changes/orders, the name of a bucket",
        "sink.s3.bucket, Changes of orders, the name of a bucket",
        "sink.s3.region, eu west 1, 'a region, such as eu-west-1'"
    })
    void a_name_that_no_bucket_and_no_region_has_is_refused(String key, String value, String expected) {
        assertThat(problems(config(Map.of(key, value))))
                .singleElement()
                .asString()
                .startsWith(key)
                .contains(expected);
    }

    @Test
    void half_a_key_is_refused() {
        Map<String, String> config = config(Map.of());
        config.remove("sink.s3.secret-access-key");
        assertThat(problems(config))
                .anyMatch(problem -> problem.startsWith(
                        "sink.s3.access-key-id: configure secret-access-key as well, or neither of them"));
    }

    private static List<String> problems(Map<String, String> config) {
        config.putAll(Map.of(
                "source.spanner.database", "projects/p/instances/i/databases/d",
                "source.spanner.stream", "Orders",
                "storage", "memory"));
        return ConfigCheck.of(SpreamConfig.of(config)).problems();
    }
}
