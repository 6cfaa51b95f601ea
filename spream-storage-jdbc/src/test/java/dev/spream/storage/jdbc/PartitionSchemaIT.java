package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.SubscriptionRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Creating, migrating and checking the tables. */
final class PartitionSchemaIT {
    private static final SubscriptionRecord SUBSCRIPTION = new SubscriptionRecord(
            "Orders",
            Instant.parse("2026-03-01T10:00:00Z"),
            Optional.empty(),
            Duration.ofSeconds(10),
            PartitionMode.IMMUTABLE_KEY_RANGE,
            false);

    private TestDatabase database;

    @BeforeEach
    void open() {
        database = new TestDatabase();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void processes_that_start_at_once_agree_on_the_tables() throws Exception {
        int processes = 6;
        CyclicBarrier start = new CyclicBarrier(processes);
        List<HikariDataSource> pools = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<SubscriptionRecord>> opened = new ArrayList<>();
            for (int i = 0; i < processes; i++) {
                HikariDataSource pool = database.open();
                pools.add(pool);
                opened.add(threads.submit(() -> {
                    start.await();
                    return JdbcPartitionStorage.create(pool, "orders").openSubscription(SUBSCRIPTION);
                }));
            }
            for (Future<SubscriptionRecord> record : opened) {
                assertThat(record.get()).isEqualTo(SUBSCRIPTION);
            }
        } finally {
            pools.forEach(HikariDataSource::close);
        }
        assertThat(JdbcPartitionStorage.subscriptions(database.dataSource(), "spream"))
                .containsExactly("orders");
    }

    @Test
    void a_schema_that_holds_tables_of_others_is_shared() {
        database.execute(
                "CREATE SCHEMA app", "CREATE TABLE app.orders (id int)", "CREATE TABLE app.workers_of_others ()");
        JdbcPartitionStorage storage = JdbcPartitionStorage.builder(database.dataSource(), "orders")
                .schema("app")
                .build();
        storage.openSubscription(SUBSCRIPTION);
        assertThat(storage.subscription()).contains(SUBSCRIPTION);
        assertThat(JdbcPartitionStorage.subscriptions(database.dataSource(), "app"))
                .containsExactly("orders");
    }

    @Test
    void schemas_side_by_side_share_nothing() {
        JdbcPartitionStorage.create(database.dataSource(), "orders").openSubscription(SUBSCRIPTION);
        JdbcPartitionStorage other = JdbcPartitionStorage.builder(database.dataSource(), "orders")
                .schema("another")
                .build();
        assertThat(other.subscription()).isEmpty();
    }

    @Test
    void names_are_listed_as_text_compares_and_may_have_any_characters() {
        String odd = "ö'; DROP TABLE \"x\" -- @partitions ?";
        for (String name : List.of("b", "B", odd, "a")) {
            JdbcPartitionStorage storage = JdbcPartitionStorage.create(database.dataSource(), name);
            storage.openSubscription(SUBSCRIPTION);
            assertThat(storage.frontier().claimable()).hasSize(1);
        }
        assertThat(JdbcPartitionStorage.subscriptions(database.dataSource(), "spream"))
                .containsExactly("B", "a", "b", odd);
    }

    @Test
    void without_migration_missing_tables_are_an_error_that_says_what_to_do() {
        assertThatThrownBy(() -> JdbcPartitionStorage.builder(database.dataSource(), "orders")
                        .migrate(false)
                        .build())
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.retryable()).isFalse())
                .hasMessageContaining("schema 'spream' has no tables")
                .hasMessageContaining("migrate(true)");
        assertThatThrownBy(() -> JdbcPartitionStorage.subscriptions(database.dataSource(), "spream"))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("schema 'spream' has no tables");
    }

    @Test
    void tables_of_a_newer_version_are_refused_with_both_versions_named() {
        JdbcPartitionStorage.create(database.dataSource(), "orders");
        setStoredVersion(99);
        for (boolean migrate : new boolean[] {true, false}) {
            assertThatThrownBy(() -> JdbcPartitionStorage.builder(database.dataSource(), "orders")
                            .migrate(migrate)
                            .build())
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("version 99")
                    .hasMessageContaining("up to " + JdbcPartitionStorage.TABLES.version())
                    .hasMessageContaining("or a newer one");
        }
    }

    @Test
    void a_migration_that_did_not_succeed_does_not_count() {
        JdbcPartitionStorage.create(database.dataSource(), "orders");
        database.execute("UPDATE spream.partition_storage_history SET success = false");
        assertThatThrownBy(() -> JdbcPartitionStorage.builder(database.dataSource(), "orders")
                        .migrate(false)
                        .build())
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("migrate(true)");
    }

    @Test
    void a_role_with_row_privileges_suffices_once_the_tables_exist() {
        JdbcPartitionStorage.create(database.dataSource(), "orders").openSubscription(SUBSCRIPTION);
        database.execute(
                "DROP ROLE IF EXISTS rows_only",
                "CREATE ROLE rows_only LOGIN",
                "GRANT USAGE ON SCHEMA spream TO rows_only",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA spream TO rows_only");
        try (HikariDataSource limited = JdbcPool.open(database.url(), Optional.of("rows_only"), Optional.empty())) {
            assertThat(JdbcPartitionStorage.create(limited, "orders").subscription())
                    .contains(SUBSCRIPTION);
            assertThatCode(() ->
                            JdbcPartitionStorage.create(limited, "payments").openSubscription(SUBSCRIPTION))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> JdbcPartitionStorage.builder(limited, "orders")
                            .schema("not_there")
                            .build())
                    .isInstanceOfSatisfying(
                            StorageException.class,
                            e -> assertThat(e.retryable()).isFalse())
                    .hasMessageContaining("migrating the tables of schema 'not_there'")
                    .hasMessageContaining("permission denied")
                    .hasMessageContaining("grant the user");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Spream", "1st", "a-b", "a\"b", "pg_spream", "a b"})
    void a_schema_that_is_no_plain_identifier_is_refused_at_the_door(String schema) {
        assertThatThrownBy(() -> JdbcPartitionStorage.builder(database.dataSource(), "orders")
                        .schema(schema))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("malformed schema name '%s'".formatted(schema));
    }

    @Test
    void a_subscription_without_a_proper_name_is_refused_at_the_door() {
        for (String name : List.of("", " ", "a\0b", "x".repeat(201))) {
            assertThatThrownBy(() -> JdbcPartitionStorage.builder(database.dataSource(), name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("malformed subscription name");
        }
    }

    private void setStoredVersion(int version) {
        database.execute("""
                UPDATE spream.partition_storage_history SET version = '%d'
                WHERE version = '%d'""".formatted(version, JdbcPartitionStorage.TABLES.version()));
    }
}
