package dev.spream.api.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ConfiguredFormatTest {
    private static final Map<String, String> STREAM =
            Map.of("source-database", "projects/p/instances/i/databases/shop", "source-stream", "OrdersStream");

    /** Texts, read by the keys. */
    private record Config(Map<String, String> values) implements PluginConfig {
        static Config of(String... pairs) {
            Map<String, String> values = new HashMap<>(STREAM);
            for (int i = 0; i < pairs.length; i += 2) {
                values.put(pairs[i], pairs[i + 1]);
            }
            return new Config(values);
        }

        @Override
        public <T> T get(ConfigKey<T> key) {
            return find(key).orElseThrow();
        }

        @Override
        public <T> Optional<T> find(ConfigKey<T> key) {
            return Optional.ofNullable(values.get(key.name()))
                    .map(key.type()::read)
                    .or(key::defaultValue);
        }
    }

    private static final PluginContext CONTEXT = new PluginContext() {
        @Override
        public InstantSource clock() {
            return InstantSource.fixed(Rows.WRITTEN);
        }

        @Override
        public String subscription() {
            return "orders";
        }

        @Override
        public void onClose(AutoCloseable resource) {
            throw new UnsupportedOperationException("a format holds nothing");
        }
    };

    private static String value(String... pairs) {
        return Rows.text(ConfiguredFormat.of(Config.of(pairs), CONTEXT).value(Rows.inserted()));
    }

    @Test
    void the_default_is_the_record_which_is_sent_whole_where_a_sink_does_so() {
        assertThat(value()).isEqualTo(Rows.inserted().change().toJson());
        assertThat(ConfiguredFormat.ofRows(Config.of(), CONTEXT)).isEmpty();
        assertThat(ConfiguredFormat.ofRows(Config.of("format", "after"), CONTEXT))
                .isPresent();
    }

    @Test
    void each_format_is_chosen_by_its_name() {
        assertThat(value("format", "after")).startsWith("{\"Id\":");
        assertThat(value("format", "debezium")).startsWith("{\"before\":").contains("\"name\":\"orders\"");
        assertThat(value("format", "debezium", "debezium-name", "shop")).contains("\"name\":\"shop\"");
        assertThat(value("format", "debezium", "debezium-schemas", "true")).startsWith("{\"schema\":");
        assertThat(value("format", "cloudevents")).startsWith("{\"specversion\":\"1.0\"");
    }

    @Test
    void every_value_begins_as_the_format_says() {
        for (String name : new String[] {"record", "after", "debezium", "cloudevents"}) {
            ChangeFormat format = ConfiguredFormat.of(Config.of("format", name), CONTEXT);
            for (ChangedRow row : new ChangedRow[] {Rows.inserted(), Rows.updated("NEW_ROW"), Rows.deleted()}) {
                assertThat(Rows.text(format.value(row)))
                        .startsWith(format.beginning())
                        .doesNotContain("\n");
            }
        }
    }

    @Test
    void a_format_that_names_the_stream_requires_its_names() {
        Config nameless = new Config(Map.of("format", "debezium"));
        assertThat(ConfiguredFormat.problems(nameless))
                .containsExactly(
                        "source-database: required by format=debezium, whose messages name it",
                        "source-stream: required by format=debezium, whose messages name it");
        assertThat(ConfiguredFormat.problems(new Config(Map.of("format", "after"))))
                .isEmpty();
        assertThat(ConfiguredFormat.problems(Config.of("format", "cloudevents")))
                .isEmpty();
    }

    @Test
    void a_key_of_another_format_is_a_problem() {
        assertThat(ConfiguredFormat.problems(
                        Config.of("debezium-name", "shop", "debezium-schemas", "false", "after-partial", "true")))
                .containsExactly(
                        "after-partial: used by format=after only, and the format is record",
                        "debezium-name: used by format=debezium only, and the format is record",
                        "debezium-schemas: used by format=debezium only, and the format is record");
        assertThat(ConfiguredFormat.problems(Config.of("format", "debezium", "debezium-schemas", "true")))
                .isEmpty();
    }
}
