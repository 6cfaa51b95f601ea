package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpreamConfigTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @SuppressWarnings("NullAway.Init") // set before each test
    private Path file;

    @BeforeEach
    void writeFile() throws IOException {
        file = Files.writeString(folder.resolve("spream.properties"), "max-inflight=1\n");
    }

    @Test
    void a_stronger_layer_wins_whatever_the_order_of_calls() {
        Map<String, String> variable = Map.of("SPREAM_CONFIG_MAX_INFLIGHT", "2");

        assertThat(maxInflight(SpreamConfig.builder().file(file)))
                .isEqualTo("max-inflight is '1' (%s:1)".formatted(file));
        assertThat(maxInflight(SpreamConfig.builder().environment(variable).file(file)))
                .isEqualTo("max-inflight is '2' (SPREAM_CONFIG_MAX_INFLIGHT)");
        assertThat(maxInflight(SpreamConfig.builder()
                        .flag("max-inflight", "3")
                        .environment(variable)
                        .file(file)))
                .isEqualTo("max-inflight is '3' (--max-inflight)");
        assertThat(maxInflight(SpreamConfig.builder()
                        .set("max-inflight", "4")
                        .flag("max-inflight", "3")
                        .file(file)
                        .environment(variable)))
                .isEqualTo("max-inflight is '4' (set by the program)");
    }

    @Test
    void a_key_that_is_left_out_is_neither_in_the_file_nor_in_the_environment() throws IOException {
        Files.writeString(file, "sink=log\nsink.log.level=info\nsinks=a\n");
        SpreamConfig config = SpreamConfig.builder()
                .without("sink")
                .file(file)
                .environment(Map.of("SPREAM_CONFIG_SINK", "jsonl", "SPREAM_CONFIG_SINK_JSONL_PATH", "out.jsonl"))
                .flag("sink.jsonl.sync", "true")
                .build();

        assertThat(config.raw("sink")).isEmpty();
        assertThat(config.raw("sink.log.level")).isEmpty();
        assertThat(config.raw("sink.jsonl.path")).isEmpty();
        assertThat(config.raw("sink.jsonl.sync")).contains("true");
        assertThat(config.raw("sinks")).contains("a");
    }

    @Test
    void a_program_names_the_place_of_its_values() {
        assertThat(maxInflight(SpreamConfig.builder().set("max-inflight", "4", "application.yaml:7")))
                .isEqualTo("max-inflight is '4' (application.yaml:7)");
        assertThat(maxInflight(SpreamConfig.builder()
                        .set("max-inflight", "4", "application.yaml:7")
                        .set("max-inflight", "5")))
                .isEqualTo("max-inflight is '5' (set by the program)");
    }

    @Test
    void of_two_flags_with_one_key_the_last_one_counts() {
        assertThat(maxInflight(SpreamConfig.builder().flag("max-inflight", "5").flag("max-inflight", "6")))
                .isEqualTo("max-inflight is '6' (--max-inflight)");
    }

    @Test
    void a_file_is_loaded_with_the_environment_of_the_process() {
        assertThat(SpreamConfig.load(file).raw("max-inflight")).contains("1");
    }

    @Test
    void dots_and_hyphens_are_underscores_in_a_variable() {
        assertThat(SpreamConfig.variable("storage.jdbc.statement-timeout"))
                .isEqualTo("SPREAM_CONFIG_STORAGE_JDBC_STATEMENT_TIMEOUT");

        var config = resolved(
                SpreamConfig.builder()
                        .environment(Map.of(
                                "SPREAM_CONFIG_STORAGE_JDBC_URL", "there", "SPREAM_CONFIG_STORAGE_JDBC_PIN", "12")),
                TestKeys.JDBC);

        assertThat(config.problems()).isEmpty();
        assertThat(config.section("storage.jdbc").get(TestKeys.URL)).isEqualTo("there");
        assertThat(config.section("storage.jdbc").get(TestKeys.PIN)).isEqualTo(12);
    }

    @Test
    void variables_with_a_wider_prefix_are_none_of_ours() {
        var environment = Map.of("SPREAM_SERVICE_HOST", "10.0.0.1", "SPREAM_CONFIGURATION", "x", "STORAGE", "x");

        assertThat(resolved(SpreamConfig.builder().environment(environment), TestKeys.SPREAM)
                        .problems())
                .isEmpty();
    }

    @Test
    void an_unknown_variable_is_refused_with_the_nearest_known_one() {
        var environment = Map.of("SPREAM_CONFIG_MAX_INFLIGTH", "3", "SPREAM_CONFIG_SERVICE_PORT", "80");

        assertThat(resolved(SpreamConfig.builder().environment(environment), TestKeys.SPREAM)
                        .problems())
                .containsExactly(
                        "the variable SPREAM_CONFIG_MAX_INFLIGTH matches no known key; "
                                + "did you mean SPREAM_CONFIG_MAX_INFLIGHT?",
                        "the variable SPREAM_CONFIG_SERVICE_PORT matches no known key");
    }

    @Test
    void a_variable_that_may_mean_two_keys_is_refused_once_it_is_set() {
        var section = new ConfigSection("sink.a", List.of(ConfigKey.of("b-c", ConfigType.text(), "One.")), true);
        var other = new ConfigSection("sink.a-b", List.of(ConfigKey.of("c", ConfigType.text(), "Another.")), false);

        assertThat(resolved(SpreamConfig.builder().environment(Map.of()), section, other)
                        .problems())
                .isEmpty();
        assertThat(resolved(SpreamConfig.builder().environment(Map.of("SPREAM_CONFIG_SINK_A_B_C", "x")), section, other)
                        .problems())
                .containsExactly("the variable SPREAM_CONFIG_SINK_A_B_C is ambiguous, it matches sink.a.b-c or "
                        + "sink.a-b.c; unset it, and configure these keys in the file or by flags");
    }

    @Test
    void raw_values_are_known_before_the_keys_are() {
        var config = SpreamConfig.builder()
                .environment(Map.of("SPREAM_CONFIG_SINK", "log", "HERE", "jdbc"))
                .flag("storage", "${env:HERE}")
                .flag("source", "${env:NOT_HERE}")
                .flag("dead-letters", "")
                .build();

        assertThat(config.raw("sink")).contains("log");
        assertThat(config.raw("storage")).contains("jdbc");
        assertThat(config.raw("source")).isEmpty();
        assertThat(config.raw("dead-letters")).isEmpty();
        assertThat(config.raw("subscription")).isEmpty();
    }

    @Test
    void a_configured_value_that_cannot_be_read_counts_as_configured() {
        var config = SpreamConfig.builder().flag("source", "${env:NOT_HERE}").build();
        var unread = SpreamConfig.load(folder.resolve("none"));

        assertThat(config.mayConfigure("source")).isTrue();
        assertThat(config.mayConfigure("sink")).isFalse();
        assertThat(unread.mayConfigure("sink")).isTrue();
    }

    @Test
    void its_text_shows_keys_and_places_and_no_value() {
        var config = SpreamConfig.builder()
                .environment(Map.of("SPREAM_CONFIG_STORAGE", "value-1", "OTHER", "value-2"))
                .flag("sink", "value-3")
                .set("source", "value-4")
                .build();

        assertThat(config)
                .hasToString("SpreamConfig[sink (--sink), source (set by the program), "
                        + "SPREAM_CONFIG_STORAGE (SPREAM_CONFIG_STORAGE)]");
    }

    private static String maxInflight(SpreamConfig.Builder builder) {
        return resolved(builder, TestKeys.SPREAM).describe("max-inflight");
    }

    private static ResolvedConfig resolved(SpreamConfig.Builder builder, ConfigSection... sections) {
        return ResolvedConfig.of(builder.build(), List.of(sections));
    }
}
