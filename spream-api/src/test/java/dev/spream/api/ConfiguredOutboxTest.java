package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.outbox.IdempotencyLedger;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import dev.spream.outbox.worker.OutboxListener;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.testkit.memory.InMemoryOutbox;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of a configured outbox: enqueueing, its worker and its operations. */
final class ConfiguredOutboxTest {
    private static final List<String> NOTES = new CopyOnWriteArrayList<>();
    private static InMemoryOutbox memory = new InMemoryOutbox();

    @TempDir
    Path folder;

    private PluginRegistry plugins;

    @BeforeEach
    void open() throws IOException {
        NOTES.clear();
        memory = new InMemoryOutbox();
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(OutboxStoreProvider.class.getName()), NotedOutbox.class.getName());
        Files.writeString(services.resolve(OutboxSenderProvider.class.getName()), NotedSender.class.getName());
        plugins = PluginRegistry.discover(
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, ConfiguredOutboxTest.class.getClassLoader()),
                Optional.empty());
    }

    @AfterEach
    void close() {
        plugins.close();
    }

    @Test
    void plugins_are_opened_once_at_the_first_use_and_closed_with_the_outbox() {
        try (ConfiguredOutbox configured =
                ConfiguredOutbox.open(config(Map.of("outbox.noted.name", "orders")), plugins)) {
            assertThat(NOTES).isEmpty();
            Outbox<Transaction> outbox = configured.outbox(Transaction.class);
            assertThat(configured.outbox(Transaction.class)).isSameAs(outbox);
            enqueue(outbox, "order-1");
            assertThat(configured.ledger()).isSameAs(configured.ledger(Transaction.class));
            assertThat(configured.ledger(Transaction.class).find("order-1"))
                    .get()
                    .satisfies(entry -> assertThat(entry.status()).isEqualTo(LedgerStatus.IN_PROGRESS));
            assertThat(configured.operations().find("order-1")).isPresent();
            assertThat(configured.operations()).isSameAs(configured.operations());
            assertThat(NOTES).containsExactly("outbox orders", "ledger orders", "operations orders");
        }
        assertThat(NOTES)
                .containsExactly(
                        "outbox orders",
                        "ledger orders",
                        "operations orders",
                        "operations closed",
                        "ledger closed",
                        "outbox closed");
    }

    @Test
    void a_worker_sends_with_the_configured_sender_and_tells_listeners() throws Exception {
        CountDownLatch settled = new CountDownLatch(1);
        List<String> around = new CopyOnWriteArrayList<>();
        OutboxListener listener = new OutboxListener() {
            @Override
            public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
                settled.countDown();
            }
        };
        UnaryOperator<OutboxSender> noting = sender -> {
            around.add(sender.guarantee().name());
            return sender;
        };
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(
                config(Map.of("outbox.enabled", "true", "sender", "noted", "worker", "blue")), plugins)) {
            enqueue(configured.outbox(Transaction.class), "order-1");
            OutboxWorker worker = configured.worker(List.of(listener), noting);
            assertThat(worker.owner().name()).isEqualTo("blue");
            Thread running = Thread.ofVirtual().start(worker::run);
            assertThat(settled.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(worker.shutdown(Duration.ofSeconds(30))).isTrue();
            running.join();
            assertThat(configured.operations().find("order-1"))
                    .get()
                    .extracting(row -> row.status())
                    .isEqualTo(OutboxStatus.SUCCEEDED);
        }
        assertThat(around).containsExactly("IDEMPOTENT");
        assertThat(NOTES).containsSubsequence("sender closed", "store closed");
    }

    @Test
    void a_worker_that_is_not_enabled_is_refused_with_all_that_is_wrong_besides() {
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(config(Map.of("sender", "notd")), plugins)) {
            assertThatThrownBy(configured::worker)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("sender is 'notd'")
                    .hasMessageContaining("did you mean noted?")
                    .hasMessageContaining("outbox.enabled is 'false' (default)")
                    .hasMessageContaining("set outbox.enabled=true");
            assertThat(NOTES).isEmpty();
        }
    }

    @Test
    void a_worker_needs_a_sender_and_a_name_that_can_be() {
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(config(Map.of("outbox.enabled", "true")), plugins)) {
            assertThatThrownBy(configured::worker)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("sender is not configured: name the sender")
                    .hasMessageContaining("noted (");
        }
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(
                config(Map.of("outbox.enabled", "true", "sender", "noted", "worker", "a/b")), plugins)) {
            assertThatThrownBy(configured::worker)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("worker: worker name 'a/b'");
        }
    }

    @Test
    void enqueueing_and_operating_need_no_configured_sender() {
        Map<String, String> without = Map.of("sender", "noted", "sender.noted.token", "${file:/nowhere/to/be/found}");
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(config(without), plugins)) {
            assertThat(configured.operations().stats().due()).isZero();
            assertThatThrownBy(configured::worker)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("sender.noted.token");
        }
    }

    @Test
    void options_are_judged_when_the_desk_is_opened() {
        assertThatThrownBy(() -> ConfiguredOutbox.open(
                        config(Map.of("outbox.batch", "0", "outbox.noted.nam", "x", "outbox.leese", "1s")), plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("outbox.batch is '0'")
                .hasMessageContaining("outbox.noted.nam")
                .hasMessageContaining("did you mean outbox.lease?");
    }

    @Test
    void transactions_of_another_type_are_refused() {
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(config(Map.of()), plugins)) {
            assertThatThrownBy(() -> configured.outbox(String.class))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("outbox noted works in transactions of type " + Transaction.class.getName());
            assertThatThrownBy(() -> configured.ledger(String.class)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void a_configuration_without_an_outbox_is_refused() {
        assertThatThrownBy(() -> ConfiguredOutbox.open(SpreamConfig.of(Map.of()), plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("outbox is not configured: name the outbox store")
                .hasMessageContaining("Found: noted");
    }

    private static void enqueue(Outbox<Transaction> outbox, String key) {
        try (Transaction transaction = memory.begin()) {
            outbox.enqueue(transaction, OutboxMessage.of(key, "{}"));
            transaction.commit();
        }
        outbox.signal();
    }

    @Test
    void senders_of_destinations_have_plugins_and_options_of_their_own() throws Exception {
        SpreamConfig config = config(Map.of(
                "outbox.enabled", "true",
                "outbox.concurrency", "2",
                "sender", "noted",
                "sender.noted.token", "default-token",
                "senders.mail", "noted",
                "senders.mail.noted.token", "mail-token",
                "senders.mail.rate", "1000"));
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(config, plugins)) {
            assertThat(configured.destinations()).containsExactly("mail");
            OutboxWorker worker = configured.worker();
            Thread running = Thread.ofVirtual().start(worker::run);
            Outbox<Transaction> outbox = configured.outbox(Transaction.class);
            for (String destination : List.of("", "mail")) {
                OutboxMessage.Builder message = OutboxMessage.builder("key" + destination, "{}");
                try (Transaction transaction = memory.begin()) {
                    outbox.enqueue(
                            transaction, (destination.isEmpty() ? message : message.destination(destination)).build());
                    transaction.commit();
                }
                outbox.signal();
            }
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (memory.operations().stats().entries().getOrDefault(OutboxStatus.SUCCEEDED, 0L) < 2) {
                assertThat(System.nanoTime() - until).as("not sent").isNegative();
                Thread.onSpinWait();
            }
            worker.close();
            running.join();
        }
        assertThat(NOTES).contains("key by default-token", "keymail by mail-token");
    }

    @Test
    void problems_of_a_sender_of_a_destination_are_reported_with_its_name() {
        SpreamConfig config = config(Map.of(
                "outbox.enabled", "true",
                "senders.mail", "noted",
                "senders.mail.noted.tokn", "x",
                "senders.mail.concurrency", "0",
                "senders.post.rate", "1"));
        try (ConfiguredOutbox configured = ConfiguredOutbox.open(config, plugins)) {
            assertThatThrownBy(configured::worker)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("senders.mail: ")
                    .hasMessageContaining("sender.noted.tokn")
                    .hasMessageContaining("outbox.concurrency")
                    .hasMessageContaining("senders.post: ");
        }
    }

    private static SpreamConfig config(Map<String, String> more) {
        SpreamConfig.Builder config = SpreamConfig.builder().set("outbox", "noted");
        more.forEach(config::set);
        return config.build();
    }

    /** An outbox in memory. */
    public static final class NotedOutbox implements OutboxStoreProvider {
        private static final ConfigKey<String> NAME =
                ConfigKey.of("name", ConfigType.text(), "Whose it is.").withDefault("nobody");

        @Override
        public String name() {
            return "noted";
        }

        @Override
        public List<ConfigKey<?>> keys() {
            return List.of(NAME);
        }

        @Override
        public OutboxStore create(PluginConfig config, PluginContext context) {
            note("store", config, context);
            return memory.store();
        }

        @Override
        public Outbox<?> outbox(PluginConfig config, PluginContext context) {
            note("outbox", config, context);
            return memory.outbox();
        }

        @Override
        public IdempotencyLedger<?> ledger(PluginConfig config, PluginContext context) {
            note("ledger", config, context);
            return memory.ledger();
        }

        @Override
        public OutboxOperations operations(PluginConfig config, PluginContext context) {
            note("operations", config, context);
            return memory.operations();
        }

        private static void note(String what, PluginConfig config, PluginContext context) {
            NOTES.add("%s %s".formatted(what, config.get(NAME)));
            context.onClose(() -> NOTES.add(what + " closed"));
        }
    }

    /** Sends nowhere. */
    public static final class NotedSender implements OutboxSenderProvider {
        private static final ConfigKey<String> TOKEN =
                ConfigKey.of("token", ConfigType.text(), "Who sends.").secret();

        @Override
        public String name() {
            return "noted";
        }

        @Override
        public List<ConfigKey<?>> keys() {
            return List.of(TOKEN);
        }

        @Override
        public OutboxSender create(PluginConfig config, PluginContext context) {
            context.onClose(() -> NOTES.add("sender closed"));
            String token = config.find(TOKEN).orElse("no token");
            return new OutboxSender() {
                @Override
                public Guarantee guarantee() {
                    return Guarantee.IDEMPOTENT;
                }

                @Override
                public SendOutcome send(OutboxEntry entry, Duration timeout) {
                    NOTES.add(entry.idempotencyKey() + " by " + token);
                    return new SendOutcome.Succeeded(LedgerResult.succeeded());
                }
            };
        }
    }
}
