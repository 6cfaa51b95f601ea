package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.google.cloud.spanner.Dialect;
import dev.spream.api.ConfiguredSubscriptions;
import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ChangeStreamSourceProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.SpreamException;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.servers.SpannerServer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests of sources and storages opened by configuration, on the databases of other tests. */
final class ProvidersIT {
    private static final String SERVERS = "dev.spream.servers.SpannerServers#all";

    @ParameterizedTest
    @MethodSource(SERVERS)
    void configuration_opens_a_source_that_reads(SpannerServer server) throws Exception {
        try (AccountDatabase database = new AccountDatabase(server, Dialect.GOOGLE_STANDARD_SQL);
                OpenPlugin<ChangeStreamSource> open = open(
                        ChangeStreamSourceProvider.class,
                        Map.of(
                                "source.spanner.database",
                                database.name().toString(),
                                "source.spanner.stream",
                                AccountDatabase.STREAM,
                                "source.spanner.emulator-host",
                                server.emulatorHost(),
                                "source.spanner.priority",
                                "low",
                                "source.spanner.max-open-queries",
                                "50"))) {
            ChangeStreamSource source = open.product();
            assertThat(source.streamName()).isEqualTo(AccountDatabase.STREAM);
            assertThat(source.maxOpenQueries()).isEqualTo(50);
            assertThat(source.partitionMode()).isEqualTo(PartitionMode.IMMUTABLE_KEY_RANGE);
            assertThat(StreamWalk.records(source, AccountDatabase.unbounded(PartitionToken.ROOT, Instant.now())))
                    .isNotEmpty();
        }
    }

    @Test
    void a_source_asks_a_server_that_says_nothing_for_as_long_as_its_configuration_says() throws Exception {
        try (MockSpanner spanner = new MockSpanner(Dialect.GOOGLE_STANDARD_SQL);
                OpenPlugin<ChangeStreamSource> open = open(
                        ChangeStreamSourceProvider.class,
                        Map.of(
                                "source.spanner.database",
                                "projects/p/instances/i/databases/d",
                                "source.spanner.stream",
                                "Orders",
                                "source.spanner.emulator-host",
                                spanner.emulatorHost(),
                                "source.spanner.connect-timeout",
                                "300ms"))) {
            spanner.service.freeze();
            assertThatExceptionOfType(SpreamException.class)
                    .isThrownBy(open.product()::serverTime)
                    .withMessageContaining("no answer within 300 ms");
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void configuration_makes_the_tables_of_a_storage_if_it_says_so(SpannerServer server) {
        MetadataDatabase database = MetadataDatabase.of(server, Dialect.GOOGLE_STANDARD_SQL);
        Map<String, String> settings = new HashMap<>(Map.of(
                "storage.spanner.database",
                database.connection().database().toString(),
                "storage.spanner.emulator-host",
                server.emulatorHost(),
                "storage.spanner.table",
                database.newTable()));
        assertThatExceptionOfType(SpreamException.class)
                .isThrownBy(() -> open(PartitionStorageProvider.class, settings).close());

        settings.put("storage.spanner.create-table", "true");
        try (OpenPlugin<PartitionStorage> open = open(PartitionStorageProvider.class, settings)) {
            assertThat(open.product().subscription()).isEmpty();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
    void the_catalog_names_the_tables_of_all_subscriptions_and_opens_each(SpannerServer server, Dialect dialect) {
        MetadataDatabase database = MetadataDatabase.of(server, dialect);
        String one = database.newTable();
        String other = database.newTable();
        SpannerPartitionTables.create(database.connection(), one);
        SpannerPartitionTables.create(database.connection(), other);
        try (SpannerPartitionStorage storage = SpannerPartitionStorage.open(database.connection(), other)) {
            storage.openSubscription(new SubscriptionRecord(
                    "OrdersStream",
                    Instant.parse("2026-01-01T00:00:00Z"),
                    Optional.empty(),
                    Duration.ofSeconds(10),
                    PartitionMode.IMMUTABLE_KEY_RANGE,
                    false));
        }
        try (ConfiguredSubscriptions configured = ConfiguredSubscriptions.open(SpreamConfig.of(Map.of(
                "storage",
                "spanner",
                "storage.spanner.database",
                database.connection().database().toString(),
                "storage.spanner.emulator-host",
                server.emulatorHost(),
                "storage.spanner.table",
                one)))) {
            assertThat(configured.subscription()).isEmpty();
            SubscriptionCatalog catalog = configured.catalog();
            assertThat(catalog.configured()).isEqualTo(one);
            assertThat(catalog.names())
                    .contains(one, other)
                    .isSorted()
                    .noneMatch(name -> name.endsWith("_Subscription"));
            try (PartitionStorage opened = catalog.open(other)) {
                assertThat(opened.frontier().partitions()).hasSize(1);
                assertThat(opened.subscription()).isPresent();
            }
            try (PartitionStorage empty = catalog.open(one)) {
                assertThat(empty.subscription()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("dev.spream.storage.spanner.ServersAndDialects#all")
    void the_catalog_names_no_other_tables_and_the_configured_one_as_it_is_configured(
            SpannerServer server, Dialect dialect) throws Exception {
        MetadataDatabase database = MetadataDatabase.of(server, dialect);
        boolean anyCase = dialect == Dialect.GOOGLE_STANDARD_SQL;
        String stored = database.newTable();
        String configured = anyCase ? stored.toUpperCase(Locale.ROOT) : stored;
        SpannerPartitionTables.create(database.connection(), stored);
        String magazine = database.newTable();
        String form = anyCase
                ? "CREATE TABLE `%s` (Id INT64) PRIMARY KEY (Id)"
                : "CREATE TABLE \"%s\" (Id bigint PRIMARY KEY)";
        database.connection().updateDdl(List.of(form.formatted(magazine), form.formatted(magazine + "_Subscription")));
        try (ConfiguredSubscriptions subscriptions = ConfiguredSubscriptions.open(SpreamConfig.of(Map.of(
                "storage",
                "spanner",
                "storage.spanner.database",
                database.connection().database().toString(),
                "storage.spanner.emulator-host",
                server.emulatorHost(),
                "storage.spanner.table",
                configured)))) {
            SubscriptionCatalog catalog = subscriptions.catalog();
            assertThat(catalog.names())
                    .contains(catalog.configured())
                    .doesNotContain(magazine)
                    .doesNotHaveDuplicates();
            assertThat(catalog.names().stream().filter(stored::equalsIgnoreCase))
                    .containsExactly(configured);
            try (PartitionStorage opened = catalog.open(configured)) {
                assertThat(opened.subscription()).isEmpty();
            }
        }
    }

    private static <T> OpenPlugin<T> open(Class<? extends PluginProvider<T>> type, Map<String, String> settings) {
        try (PluginRegistry plugins = PluginRegistry.discover()) {
            Plugin<T> plugin = plugins.find(type, "spanner").orElseThrow();
            String section = plugin.port().key() + ".spanner";
            ResolvedConfig config = ResolvedConfig.of(
                    SpreamConfig.of(settings), List.of(new ConfigSection(section, plugin.keys(), true)));
            assertThat(config.problems()).isEmpty();
            return plugin.open(config.section(section), InstantSource.system(), "nightly");
        }
    }
}
