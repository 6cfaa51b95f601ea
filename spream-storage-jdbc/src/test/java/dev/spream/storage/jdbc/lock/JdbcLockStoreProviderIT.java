package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.spream.api.ConfiguredLocks;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.ConfigKey;
import dev.spream.core.SpreamException;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockTarget;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JdbcLockStoreProviderIT {
    private static final LockRequest REQUEST = LockRequest.exclusive(LockTarget.account("ann", "savings"));

    @Test
    void its_keys_are_those_that_configurations_name() {
        assertThat(new JdbcLockStoreProvider().keys())
                .extracting(ConfigKey::name)
                .containsExactly(
                        "url",
                        "user",
                        "password",
                        "schema",
                        "strategy",
                        "buckets",
                        "hash",
                        "levels",
                        "handles",
                        "holder-timeout",
                        "statement-timeout",
                        "migrate",
                        "chunk");
    }

    @Test
    void a_url_is_all_that_advisory_locks_need() throws Exception {
        try (TestDatabase database = new TestDatabase();
                ConfiguredLocks configured = ConfiguredLocks.open(config(Map.of("url", database.url())))) {
            excludes(configured.locks(Connection.class));
        }
    }

    @Test
    void rows_are_provisioned_first_and_then_taken_as_recorded() throws Exception {
        try (TestDatabase database = new TestDatabase()) {
            Map<String, String> keys = Map.of(
                    "url", database.url(), "strategy", "rows", "buckets", "500", "schema", "my_locks", "handles", "2");
            try (ConfiguredLocks configured = ConfiguredLocks.open(config(keys))) {
                assertThatExceptionOfType(SpreamException.class)
                        .isThrownBy(configured::locks)
                        .withMessageContaining("locks jdbc")
                        .withMessageContaining("schema 'my_locks' has no buckets")
                        .withMessageContaining("./spream locks provision");
                assertThat(configured
                                .provisioning()
                                .provision((done, all) -> {})
                                .made())
                        .isEqualTo(1_500);
            }
            try (ConfiguredLocks configured =
                    ConfiguredLocks.open(config(Map.of("url", database.url(), "schema", "my_locks")))) {
                excludes(configured.locks(Connection.class));
            }
            try (ConfiguredLocks configured = ConfiguredLocks.open(
                    config(Map.of("url", database.url(), "schema", "my_locks", "strategy", "advisory")))) {
                assertThatExceptionOfType(SpreamException.class)
                        .isThrownBy(configured::locks)
                        .withMessageContaining("are rows, 3 levels of 500 buckets by sha256")
                        .withMessageContaining("requests advisory");
            }
        }
    }

    @Test
    void mariadb_is_provisioned_by_its_url_alone() throws Exception {
        MySqlServer server = MySqlServer.embedded();
        try (MySqlDatabase database = new MySqlDatabase(server);
                ConfiguredLocks configured = ConfiguredLocks.open(config(Map.of(
                        "url",
                        database.mariadbUrl(),
                        "user",
                        server.user(),
                        "password",
                        server.password(),
                        "buckets",
                        "500",
                        "chunk",
                        "200")))) {
            assertThat(configured.provisioning().provision((done, all) -> {}).made())
                    .isEqualTo(1_500);
            assertThat(configured.provisioning().check((done, all) -> {}).problems())
                    .isEmpty();
            excludes(configured.locks(Connection.class));
        }
    }

    @Test
    void numbers_out_of_range_are_refused_before_anything_is_opened() {
        assertThatExceptionOfType(ConfigException.class)
                .isThrownBy(() -> ConfiguredLocks.open(
                        config(Map.of("url", "jdbc:postgresql:x", "buckets", "0", "levels", "17", "hash", "md5"))))
                .withMessageContaining("locks.jdbc.buckets")
                .withMessageContaining("locks.jdbc.levels")
                .withMessageContaining("locks.jdbc.hash");
    }

    private static void excludes(HierarchicalLocks<Connection> locks) throws Exception {
        try (LockHandle held = locks.acquire(REQUEST)) {
            assertThat(locks.tryAcquire(REQUEST)).isEmpty();
            held.acquire(REQUEST);
        }
        assertThat(locks.tryAcquire(REQUEST)).get().satisfies(LockHandle::close);
    }

    private static SpreamConfig config(Map<String, String> settings) {
        Map<String, String> keys = new HashMap<>(Map.of("locks", "jdbc"));
        settings.forEach((key, value) -> keys.put("locks.jdbc." + key, value));
        return SpreamConfig.of(keys);
    }
}
