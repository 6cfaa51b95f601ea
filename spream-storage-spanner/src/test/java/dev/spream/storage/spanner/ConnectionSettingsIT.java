package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.auth.oauth2.GoogleCredentials;
import com.google.cloud.NoCredentials;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginProvider;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.SourceException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests of credentials, endpoint and channels by what arrives at a server. */
@DisabledIfEnvironmentVariable(
        named = "SPANNER_EMULATOR_HOST",
        matches = ".+",
        disabledReason = "a client with an endpoint refuses an emulator")
@Isolated("sets the certificates that this JVM trusts")
final class ConnectionSettingsIT {
    private static final String NAME = "projects/p/instances/i/databases/d";
    private static final DatabaseName DATABASE = DatabaseName.parse(NAME);

    @TempDir
    private static Path keys;

    private static Path store;
    private static String serviceAccount;

    @TempDir
    private Path folder;

    @BeforeAll
    static void makeKeys() throws Exception {
        store = TlsSpanner.makeKey(keys.resolve("localhost.p12"));
        serviceAccount = TlsSpanner.serviceAccount();
    }

    @Test
    void credentials_of_a_file_go_to_the_endpoint_with_each_request() throws Exception {
        try (TlsSpanner spanner = new TlsSpanner(store)) {
            Path file = Files.writeString(folder.resolve("key.json"), serviceAccount);
            try (SpannerConnection connection = SpannerConnection.builder(DATABASE)
                    .endpoint(spanner.endpoint())
                    .credentialsFile(file)
                    .open()) {
                assertThat(connection.client().getDialect()).isEqualTo(Dialect.GOOGLE_STANDARD_SQL);
            }
            assertThat(spanner.accounts).isNotEmpty().containsOnly(TlsSpanner.ACCOUNT);
        }
    }

    @Test
    void credentials_of_a_configuration_go_to_the_endpoint_of_source_and_storage() throws Exception {
        try (TlsSpanner spanner = new TlsSpanner(store)) {
            Path file = Files.writeString(folder.resolve("key.json"), serviceAccount);
            Map<String, String> settings = Map.of(
                    "source.spanner.database",
                    NAME,
                    "source.spanner.stream",
                    "Orders",
                    "source.spanner.endpoint",
                    "https://" + spanner.endpoint(),
                    "source.spanner.credentials-json",
                    "${file:%s}".formatted(file),
                    "storage.spanner.table",
                    "Metadata");
            try (OpenPlugin<ChangeStreamSource> source = open(ChangeStreamSourceProvider.class, settings)) {
                assertThatExceptionOfType(SourceException.class) // the mock server knows no such query
                        .isThrownBy(source.product()::serverTime)
                        .withMessageContaining("no result registered");
            }
            assertThat(spanner.accounts).isNotEmpty().containsOnly(TlsSpanner.ACCOUNT);
            spanner.accounts.clear();
            assertThatExceptionOfType(RuntimeException.class)
                    .isThrownBy(
                            () -> open(PartitionStorageProvider.class, settings).close());
            assertThat(spanner.accounts).isNotEmpty().containsOnly(TlsSpanner.ACCOUNT);
        }
    }

    @Test
    void options_of_a_program_are_used_and_stay_usable() throws Exception {
        try (TlsSpanner spanner = new TlsSpanner(store)) {
            SpannerOptions options = SpannerOptions.newBuilder()
                    .setProjectId("p")
                    .setHost("https://" + spanner.endpoint())
                    .setCredentials(GoogleCredentials.fromStream(
                            new ByteArrayInputStream(serviceAccount.getBytes(StandardCharsets.UTF_8))))
                    .setNumChannels(3)
                    .setBuiltInMetricsEnabled(false)
                    .build();
            try (SpannerConnection connection =
                    SpannerConnection.builder(DATABASE).options(options).open()) {
                SpannerConnection.builder(DATABASE).options(options).open().close();
                assertThat(connection.client().getDialect()).isEqualTo(Dialect.GOOGLE_STANDARD_SQL);
                assertThat(connection.spanner().getOptions().getNumChannels()).isEqualTo(3);
                try (SpannerChangeStreamSource source =
                        connection.source("Orders").build()) {
                    assertThat(source.maxOpenQueries()).isEqualTo(200);
                }
            }
            assertThat(spanner.accounts).isNotEmpty().containsOnly(TlsSpanner.ACCOUNT);
        }
    }

    @Test
    void as_many_channels_connect_as_are_set() throws Exception {
        try (TlsSpanner spanner = new TlsSpanner(store);
                SpannerConnection connection = SpannerConnection.builder(DATABASE)
                        .endpoint(spanner.endpoint())
                        .credentialsJson(serviceAccount)
                        .channels(3)
                        .keepAliveTime(Duration.ofMinutes(1))
                        .open()) {
            for (int i = 0; i < 30; i++) {
                assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> {
                    try (var rows = connection.client().singleUse().executeQuery(Statement.of("SELECT 1"))) {
                        rows.next();
                    }
                });
            }
            assertThat(spanner.peers).hasSize(3);
            assertThat(connection.spanner().getOptions().getGrpcKeepAliveTime()).isEqualTo(Duration.ofMinutes(1));
        }
    }

    @Test
    @Timeout(value = 30, unit = TimeUnit.SECONDS)
    void an_endpoint_where_nothing_answers_is_named_within_the_time_limit() throws Exception {
        int port = freePort();
        try (TlsSpanner spanner = new TlsSpanner(store);
                SpannerConnection connection = SpannerConnection.builder(DATABASE)
                        .endpoint("localhost:" + port)
                        .credentialsJson(serviceAccount)
                        .open();
                SpannerChangeStreamSource source = connection.source("Orders").build()) {
            assertThatExceptionOfType(SourceException.class)
                    .isThrownBy(source::serverTime)
                    .withMessageContaining("UNAVAILABLE")
                    .withMessageContaining("Connection refused: localhost/127.0.0.1:" + port);
        }
    }

    @Test
    void a_broken_credentials_file_is_named_without_its_content() throws Exception {
        Path broken = Files.writeString(
                folder.resolve("key.json"),
                "{\"type\":\"service_account\",\"client_id\":\"1\",\"client_email\":\"e\",\"private_key_id\":\"k\","
                        + "\"private_key\":\"s3cret\"}");
        SpannerConnection.Builder connection =
                SpannerConnection.builder(DATABASE).credentialsFile(broken);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connection.open().close())
                .withMessageContaining(broken.toString())
                .withMessageContaining("download the key again")
                .withNoCause()
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));

        Path missing = folder.resolve("absent.json");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SpannerConnection.builder(DATABASE)
                        .credentialsFile(missing)
                        .open()
                        .close())
                .withMessageContaining(missing + " does not exist: correct the path");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SpannerConnection.builder(DATABASE).credentialsJson("{s3cret"))
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("s3cret"));
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> open(
                                ChangeStreamSourceProvider.class,
                                Map.of(
                                        "source.spanner.database",
                                        NAME,
                                        "source.spanner.stream",
                                        "Orders",
                                        "source.spanner.credentials-file",
                                        broken.toString()))
                        .close())
                .withMessageContaining(broken.toString());
    }

    @Test
    void settings_of_a_program_that_contradict_each_other_are_refused() {
        refused(
                SpannerConnection.builder(DATABASE).emulatorHost("localhost:1").endpoint("localhost:1"),
                "emulatorHost");
        refused(
                SpannerConnection.builder(DATABASE)
                        .emulatorHost("localhost:1")
                        .credentialsFile(folder.resolve("key.json")),
                "emulatorHost");
        refused(
                SpannerConnection.builder(DATABASE)
                        .options(SpannerOptions.newBuilder()
                                .setProjectId("p")
                                .setCredentials(NoCredentials.getInstance())
                                .build())
                        .databaseRole("reader"),
                "set these in the options");
    }

    private static void refused(SpannerConnection.Builder connection, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connection.open().close())
                .withMessageContaining(message);
    }

    private static <T> OpenPlugin<T> open(Class<? extends PluginProvider<T>> type, Map<String, String> settings) {
        try (PluginRegistry plugins = PluginRegistry.discover()) {
            Plugin<?> source =
                    plugins.find(ChangeStreamSourceProvider.class, "spanner").orElseThrow();
            Plugin<T> plugin = plugins.find(type, "spanner").orElseThrow();
            String section = plugin.section();
            List<ConfigSection> sections = plugin.equals(source)
                    ? List.of(new ConfigSection(section, plugin.keys(), true))
                    : List.of(
                            new ConfigSection(source.section(), source.keys(), true),
                            new ConfigSection(section, plugin.keys(), true));
            ResolvedConfig config = ResolvedConfig.of(
                    SpreamConfig.of(Optional.of(settings)
                            .filter(all -> !plugin.equals(source))
                            .orElseGet(() -> onlySource(settings))),
                    sections);
            assertThat(config.problems()).isEmpty();
            assertThat(plugin.problems(config.section(section))).isEmpty();
            return plugin.open(config.section(section), InstantSource.system(), "nightly");
        }
    }

    private static Map<String, String> onlySource(Map<String, String> settings) {
        return settings.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("source."))
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
