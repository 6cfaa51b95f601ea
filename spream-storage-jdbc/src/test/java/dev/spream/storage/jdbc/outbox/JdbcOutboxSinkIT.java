package dev.spream.storage.jdbc.outbox;

import static dev.spream.storage.jdbc.outbox.OutboxChanges.change;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.plugin.Plugin;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that changes of a change stream are enqueued once for each row. */
@Timeout(120)
final class JdbcOutboxSinkIT {
    private static final List<DataChangeRecord> HISTORY = List.of(
            change(1, "1:ann", "2:bob"), change(2, "1:anna"), change(3, "2:rob", "1:anne"), change(4, "3:carl"));

    private final TestOutbox test = new TestOutbox();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void a_stream_that_is_delivered_again_enqueues_nothing_twice() throws Exception {
        for (int run = 0; run < 3; run++) {
            run(JdbcOutboxSink.into(test.outbox), HISTORY, ErrorHandler.stop());
        }
        assertThat(test.rows("""
                        SELECT ordering_key, order_request_json -> 'mods' -> 0 -> 'new_values' ->> 'Name',
                            jsonb_array_length(order_request_json -> 'mods')
                        FROM spream.outbox_orders ORDER BY ordering_key, id"""))
                .containsExactly(
                        "Orders/{\"Id\":\"1\"},ann,1",
                        "Orders/{\"Id\":\"1\"},anna,1",
                        "Orders/{\"Id\":\"1\"},anne,1",
                        "Orders/{\"Id\":\"2\"},bob,1",
                        "Orders/{\"Id\":\"2\"},rob,1",
                        "Orders/{\"Id\":\"3\"},carl,1");
        assertThat(test.rows("SELECT idempotency_key FROM spream.idempo_ledger WHERE idempotency_key LIKE '%tx1%'"))
                .containsExactlyInAnyOrder(
                        "Orders/2026-01-01T00:00:01Z/tx1/00000000/0", "Orders/2026-01-01T00:00:01Z/tx1/00000000/1");
    }

    @Test
    void sent_and_purged_entries_are_not_enqueued_again() throws Exception {
        run(JdbcOutboxSink.into(test.outbox), HISTORY, ErrorHandler.stop());
        test.execute("DELETE FROM spream.outbox_orders", "UPDATE spream.idempo_ledger SET status = 'succeeded'");
        run(JdbcOutboxSink.into(test.outbox), HISTORY, ErrorHandler.stop());
        assertThat(test.rows("SELECT count(*) FROM spream.outbox_orders")).containsExactly("0");
    }

    @Test
    void an_entry_is_the_change_of_its_row_alone() throws Exception {
        run(JdbcOutboxSink.into(test.outbox).unordered(), HISTORY, ErrorHandler.stop());
        List<OutboxClaim> claims = test.store
                .claim(OutboxOwner.of("ann"), "", 100, Duration.ofMinutes(1))
                .claims();
        DataChangeRecord second = ChangeRecordJson.readDataChange(claims.stream()
                .filter(claim -> claim.entry().idempotencyKey().endsWith("tx1/00000000/1"))
                .findFirst()
                .orElseThrow()
                .entry()
                .payload());
        assertThat(claims).hasSize(6);
        assertThat(second.identity()).isEqualTo(HISTORY.getFirst().identity());
        assertThat(second.mods())
                .singleElement()
                .satisfies(mod -> assertThat(mod.keys()).isEqualTo(JsonObject.of("{\"Id\":\"2\"}")));
    }

    @Test
    void only_the_change_that_cannot_be_enqueued_is_refused() throws Exception {
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        run(
                JdbcOutboxSink.into(test.outbox),
                List.of(change(1, "1:ann"), change(2, "2:a\\u0000b"), change(3, "3:carl")),
                failure -> {
                    failures.add(failure.cause());
                    return new ErrorDecision.Skip();
                });
        assertThat(failures)
                .singleElement()
                .isInstanceOfSatisfying(
                        NonRetryableException.class,
                        e -> assertThat(e.getMessage())
                                .contains("tx2", "Orders")
                                .doesNotContain("a\\u0000b"));
        assertThat(test.rows("SELECT ordering_key FROM spream.outbox_orders ORDER BY id"))
                .containsExactly("Orders/{\"Id\":\"1\"}", "Orders/{\"Id\":\"3\"}");
    }

    @Test
    void a_configured_sink_finds_the_outbox_by_the_keys_of_the_outbox() throws Exception {
        Map<String, String> keys = Map.of(
                "outbox.jdbc.url", test.database().url(),
                "outbox.jdbc.table", "changes",
                "outbox.jdbc.ledger", "keys",
                "sink.outbox.ordering", "none",
                "sink.outbox.expire-after", "1d");
        try (PluginRegistry plugins = PluginRegistry.discover()) {
            Plugin<Consumer> plugin =
                    plugins.find(ConsumerProvider.class, "outbox").orElseThrow();
            ResolvedConfig config = ResolvedConfig.of(
                    SpreamConfig.of(keys),
                    List.of(
                            new ConfigSection("sink.outbox", plugin.keys(), true),
                            new ConfigSection("outbox.jdbc", JdbcOutboxKeys.ALL, false)));
            assertThat(config.problems()).isEmpty();
            try (OpenPlugin<Consumer> sink =
                    plugin.open(config.section("sink.outbox"), InstantSource.system(), "nightly")) {
                run(sink.product(), HISTORY, ErrorHandler.stop());
            }
        }
        assertThat(test.rows("""
                        SELECT count(*), count(ordering_key), min(expires_at AT TIME ZONE 'UTC') FROM spream.changes""")).containsExactly("6,0,2026-01-02 00:00:01");
    }

    private static void run(Consumer sink, List<DataChangeRecord> history, ErrorHandler errorHandler) {
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(OutboxChanges.START)
                .endAt(OutboxChanges.START.plusSeconds(100))
                .maxInflight(16)
                .errorHandler(errorHandler)
                .build();
        try (Subscriber subscriber = Subscriber.builder(
                        ScriptedSource.of(OutboxChanges.START, history), new InMemoryPartitionStorage())
                .options(options)
                .build()) {
            subscriber.run(sink);
        }
    }
}
