package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.LEASE;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static dev.spream.storage.jdbc.projection.TestProjections.NOTHING;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.core.StorageException;
import dev.spream.projection.Fence;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.SegmentLease;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Leases are kept, and states read and reported, while batches have every connection that there is for them. */
@Timeout(120)
final class ProjectionConnectionsIT {
    private static final String SECTION = "projections.jdbc";
    private static final int CONNECTIONS = 4;

    private final TestDatabase database = new TestDatabase();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void close() {
        threads.shutdownNow();
        database.close();
    }

    @Test
    @SuppressWarnings("unchecked") // its transactions are connections
    void a_configured_store_renews_leases_beside_its_batches_and_closes_its_pools() throws Exception {
        ProjectionStore<Connection> store;
        try (OpenPlugin<ProjectionStore<?>> open = open()) {
            store = (ProjectionStore<Connection>) open.product();
            leasesAreKeptBesideBatches(store);
        }
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> store.state(NAME))
                .withMessageContaining("closed");
        awaitNoConnection();
    }

    /** A session of the server may outlive its connection for a moment. */
    private void awaitNoConnection() throws Exception {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        int open;
        do {
            try (Connection connection = database.dataSource().getConnection();
                    var statement = connection.createStatement();
                    var row = statement.executeQuery("SELECT count(*) FROM pg_stat_activity"
                            + " WHERE datname = current_database() AND application_name = 'spream'")) {
                assertThat(row.next()).isTrue();
                open = row.getInt(1);
            }
        } while (open > 0 && System.nanoTime() < deadline);
        assertThat(open).as("connections of pools that should be closed").isZero();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // the registry knows no types of transactions
    private OpenPlugin<ProjectionStore<?>> open() {
        Map<String, String> keys =
                Map.of(SECTION + ".url", database.url(), SECTION + ".connections", String.valueOf(CONNECTIONS));
        try (PluginRegistry plugins = PluginRegistry.discover()) {
            Plugin plugin = plugins.find(ProjectionStoreProvider.class, "jdbc").orElseThrow();
            ResolvedConfig config =
                    ResolvedConfig.of(SpreamConfig.of(keys), List.of(new ConfigSection(SECTION, plugin.keys(), true)));
            assertThat(config.problems()).isEmpty();
            return plugin.open(config.section(SECTION), InstantSource.system(), "spream");
        }
    }

    @Test
    void a_data_source_of_the_callers_own_keeps_leases_beside_batches() throws Exception {
        try (var batches = JdbcPool.open(database.url(), Optional.empty(), Optional.empty(), CONNECTIONS);
                var keeping = JdbcPool.open(database.url(), Optional.empty(), Optional.empty(), 2);
                JdbcProjectionStore store =
                        JdbcProjectionStore.builder(batches, keeping).build()) {
            leasesAreKeptBesideBatches(store);
        }
    }

    private void leasesAreKeptBesideBatches(ProjectionStore<Connection> store) throws Exception {
        store.register(NAME, CONNECTIONS);
        List<SegmentLease> leases =
                store.holdSegments(NAME, ANN, Set.of(), LEASE).held();
        assertThat(leases).hasSize(CONNECTIONS);
        CountDownLatch applying = new CountDownLatch(CONNECTIONS);
        CountDownLatch done = new CountDownLatch(1);
        List<Future<Boolean>> batches = new ArrayList<>();
        for (SegmentLease lease : leases) {
            Fence fence = new Fence.Segment(NAME, ANN, lease.segment(), lease.epoch());
            batches.add(threads.submit(() -> store.apply(fence, Set.of("a" + lease.segment()), (connection, states) -> {
                applying.countDown();
                done.await();
                return NOTHING;
            })));
        }
        assertThat(applying.await(30, SECONDS)).isTrue();
        assertThat(store.holdSegments(NAME, ANN, Set.of(), LEASE).held()).hasSize(CONNECTIONS);
        assertThat(store.state(NAME)).isPresent();
        store.report(NAME, 1, Optional.of("late"));
        assertThat(store.register("another", 1).segments()).isEqualTo(1);
        store.leave("another", ANN);
        done.countDown();
        for (Future<Boolean> batch : batches) {
            assertThat(batch.get(30, SECONDS)).isTrue();
        }
    }
}
