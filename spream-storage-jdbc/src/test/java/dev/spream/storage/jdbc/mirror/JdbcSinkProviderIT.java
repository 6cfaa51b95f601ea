package dev.spream.storage.jdbc.mirror;

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
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class JdbcSinkProviderIT {
    private static final MirrorChanges SINGERS = MirrorChanges.ofNames("Singers");
    private static final List<DataChangeRecord> HISTORY = List.of(
            SINGERS.insert(1, "{\"Id\":\"1\"}", "{\"Name\":\"Ann\"}"),
            SINGERS.insert(2, "{\"Id\":\"2\"}", "{\"Name\":\"Bob\"}"),
            SINGERS.update(3, "{\"Id\":\"1\"}", "{\"Name\":\"Anna\"}"),
            SINGERS.delete(4, "{\"Id\":\"2\"}"),
            SINGERS.insert(5, "{\"Id\":\"3\"}", "{\"Name\":null}"));

    @Test
    void a_configured_sink_mirrors_a_stream_and_a_second_run_changes_nothing() throws Exception {
        try (TestDatabase database = new TestDatabase()) {
            for (int run = 0; run < 2; run++) {
                try (OpenPlugin<Consumer> sink = open(database, Map.of("create-tables", "true"))) {
                    run(sink.product(), HISTORY, ErrorHandler.stop());
                }
                assertThat(new MirrorRows(database).of("\"Singers\"", "\"Id\"")).containsExactly("(1,Anna)", "(3,)");
            }
            assertThat(new MirrorRows(database).of("spream.applied_ledger", "name"))
                    .singleElement()
                    .asString()
                    .contains(",nightly,");
        }
    }

    @Test
    void only_the_change_that_cannot_be_mirrored_is_refused() throws Exception {
        List<DataChangeRecord> history = new ArrayList<>(HISTORY);
        history.add(SINGERS.insert(6, "{\"Id\":\"no number\"}", "{\"Name\":\"x\"}"));
        history.add(SINGERS.insert(7, "{\"Id\":\"4\"}", "{\"Name\":\"Dan\"}"));
        List<Throwable> failures = new CopyOnWriteArrayList<>();
        try (TestDatabase database = new TestDatabase();
                OpenPlugin<Consumer> sink = open(database, Map.of("create-tables", "true", "ledger", "own"))) {
            run(sink.product(), history, failure -> {
                failures.add(failure.cause());
                return new ErrorDecision.Skip();
            });
            assertThat(new MirrorRows(database).of("\"Singers\"", "\"Id\""))
                    .containsExactly("(1,Anna)", "(3,)", "(4,Dan)");
        }
        assertThat(failures)
                .singleElement()
                .isInstanceOfSatisfying(
                        NonRetryableException.class,
                        e -> assertThat(e.getMessage()).contains("\"Id\"", "22P02"));
    }

    private static void run(Consumer sink, List<DataChangeRecord> history, ErrorHandler errorHandler) {
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(MirrorChanges.START)
                .endAt(MirrorChanges.at(100))
                .maxInflight(16)
                .errorHandler(errorHandler)
                .build();
        try (Subscriber subscriber = Subscriber.builder(
                        ScriptedSource.of(MirrorChanges.START, history), new InMemoryPartitionStorage())
                .options(options)
                .build()) {
            subscriber.run(sink);
        }
    }

    private static OpenPlugin<Consumer> open(TestDatabase database, Map<String, String> settings) {
        Map<String, String> keys = new HashMap<>(Map.of("sink.jdbc.url", database.url()));
        settings.forEach((key, value) -> keys.put("sink.jdbc." + key, value));
        try (PluginRegistry plugins = PluginRegistry.discover()) {
            Plugin<Consumer> plugin =
                    plugins.find(ConsumerProvider.class, "jdbc").orElseThrow();
            ResolvedConfig config = ResolvedConfig.of(
                    SpreamConfig.of(keys), List.of(new ConfigSection("sink.jdbc", plugin.keys(), true)));
            assertThat(config.problems()).isEmpty();
            return plugin.open(config.section("sink.jdbc"), InstantSource.system(), "nightly");
        }
    }
}
