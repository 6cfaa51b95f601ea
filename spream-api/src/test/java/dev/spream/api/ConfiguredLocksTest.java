package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.LockStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.SpreamException;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStore;
import dev.spream.lock.LockTarget;
import dev.spream.testkit.memory.InMemoryLockStore;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks of a configuration, with and without a subscription. */
final class ConfiguredLocksTest {
    private static final List<String> NOTES = new CopyOnWriteArrayList<>();
    private static final LockRequest REQUEST = LockRequest.exclusive(LockTarget.user("ann"));

    @TempDir
    Path folder;

    private PluginRegistry plugins;

    @BeforeEach
    void open() throws IOException {
        NOTES.clear();
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(LockStoreProvider.class.getName()), NotedProvider.class.getName());
        plugins = PluginRegistry.discover(
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, ConfiguredLocksTest.class.getClassLoader()),
                Optional.empty());
    }

    @AfterEach
    void close() {
        plugins.close();
    }

    @Test
    void locks_are_opened_when_asked_for_and_closed_with_what_they_stand_on() throws Exception {
        try (ConfiguredLocks configured = ConfiguredLocks.open(config(Map.of("locks.noted.name", "orders")), plugins)) {
            assertThat(NOTES).isEmpty();
            HierarchicalLocks<InMemoryLockStore.Transaction> locks =
                    configured.locks(InMemoryLockStore.Transaction.class);
            assertThat(configured.locks()).isSameAs(locks);
            try (LockHandle handle = locks.acquire(REQUEST)) {
                assertThat(locks.tryAcquire(REQUEST)).isEmpty();
            }
            assertThat(locks.tryAcquire(REQUEST)).get().satisfies(LockHandle::close);
            assertThat(NOTES).containsExactly("opened for orders");
        }
        assertThat(NOTES).containsExactly("opened for orders", "closed");
    }

    @Test
    void keys_of_a_subscription_are_ignored() {
        try (ConfiguredLocks configured =
                ConfiguredLocks.open(config(Map.of("sink", "log", "max-inflight", "7")), plugins)) {
            assertThat(configured.locks()).isNotNull();
        }
    }

    @Test
    void transactions_of_another_type_are_refused() {
        try (ConfiguredLocks configured = ConfiguredLocks.open(config(Map.of()), plugins)) {
            assertThatThrownBy(() -> configured.locks(String.class))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("locks noted are taken in transactions of type "
                            + InMemoryLockStore.Transaction.class.getName());
        }
    }

    @Test
    void provisioning_of_locks_without_buckets_is_refused() {
        try (ConfiguredLocks configured = ConfiguredLocks.open(config(Map.of()), plugins)) {
            assertThatThrownBy(configured::provisioning)
                    .isInstanceOf(SpreamException.class)
                    .hasMessageContaining("locks noted")
                    .hasMessageContaining("needs no provisioning");
        }
    }

    @Test
    void a_configuration_without_locks_is_refused() {
        assertThatThrownBy(() -> ConfiguredLocks.open(SpreamConfig.of(Map.of()), plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("locks is not configured")
                .hasMessageContaining("Found: noted");
    }

    @Test
    void everything_that_is_wrong_is_told_at_once() {
        assertThatThrownBy(() -> ConfiguredLocks.open(
                        SpreamConfig.of(Map.of("locks", "notd", "locks.noted.nam", "x", "max-inflight", "many")),
                        plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("locks is 'notd'")
                .hasMessageContaining("did you mean noted?")
                .hasMessageContaining("locks.noted.nam")
                .hasMessageContaining("max-inflight");
    }

    private static SpreamConfig config(Map<String, String> more) {
        SpreamConfig.Builder config = SpreamConfig.builder().set("locks", "noted");
        more.forEach(config::set);
        return config.build();
    }

    /** Locks in memory, with nothing to provision. */
    public static final class NotedProvider implements LockStoreProvider {
        private static final ConfigKey<String> NAME =
                ConfigKey.of("name", ConfigType.text(), "Whose they are.").withDefault("nobody");

        @Override
        public String name() {
            return "noted";
        }

        @Override
        public List<ConfigKey<?>> keys() {
            return List.of(NAME);
        }

        @Override
        public LockStore<?> create(PluginConfig config, PluginContext context) {
            NOTES.add("opened for " + config.get(NAME));
            context.onClose(() -> NOTES.add("closed"));
            return InMemoryLockStore.create();
        }
    }
}
