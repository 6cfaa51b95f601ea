package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.core.SpreamException;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.consume.DeadLetters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Dead letters and sink of a configuration, without a subscription. */
final class ConfiguredDeadLettersTest {
    @TempDir
    Path folder;

    private PluginRegistry plugins;

    @BeforeEach
    void open() throws IOException {
        RecordingPlugins.NOTES.clear();
        plugins = RecordingPlugins.discover(folder);
    }

    @AfterEach
    void close() {
        plugins.close();
    }

    @Test
    void letters_are_replayed_into_the_configured_sink_and_everything_is_closed() throws Exception {
        keepLetter();
        try (ConfiguredDeadLetters configured = ConfiguredDeadLetters.open(config(Map.of()), plugins)) {
            assertThat(configured.subscription()).isEqualTo("Orders");
            assertThat(configured.letters().openLetters()).hasSize(1);
            assertThat(RecordingPlugins.NOTES).containsExactly("source of spream opened");
            assertThat(configured.consumer()).isSameAs(configured.consumer());
            assertThat(DeadLetterReplay.of(configured.letters(), configured.consumer())
                            .all()
                            .replayed())
                    .isEqualTo(1);
        }
        assertThat(RecordingPlugins.NOTES)
                .containsExactly(
                        "source of spream opened",
                        "sink's pool of Orders opened",
                        "consumed",
                        "sink closing",
                        "sink closed",
                        "sink's pool closed",
                        "source closed");
        JsonlDeadLetterSink.open(letters()).close();
    }

    @Test
    void nothing_but_the_letters_is_opened_of_a_subscription_that_has_a_name() throws Exception {
        try (ConfiguredDeadLetters configured =
                ConfiguredDeadLetters.open(config(Map.of("subscription", "billing")), plugins)) {
            assertThat(configured.subscription()).isEqualTo("billing");
            assertThat(configured.letters().openLetters()).isEmpty();
        }
        assertThat(RecordingPlugins.NOTES).isEmpty();
    }

    @Test
    void the_filter_stands_before_the_sink() throws Exception {
        keepLetter();
        try (ConfiguredDeadLetters configured =
                ConfiguredDeadLetters.open(config(Map.of("filter.tables", "Invoices")), plugins)) {
            assertThat(DeadLetterReplay.of(configured.letters(), configured.consumer())
                            .all()
                            .replayed())
                    .isEqualTo(1);
        }
        assertThat(RecordingPlugins.NOTES).doesNotContain("consumed");
    }

    @Test
    void a_configuration_without_dead_letters_or_with_other_problems_is_refused() {
        assertThatThrownBy(() -> ConfiguredDeadLetters.open(SpreamConfig.of(Map.of("sink", "none")), plugins))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("dead-letters is not configured")
                .hasMessageContaining("none");
        assertThat(RecordingPlugins.NOTES).isEmpty();
    }

    @Test
    void letters_that_cannot_be_opened_leave_nothing_open() throws Exception {
        try (JsonlDeadLetterSink inUse = JsonlDeadLetterSink.open(letters())) {
            assertThat(inUse.openLetters()).isEmpty();
            assertThatThrownBy(() -> ConfiguredDeadLetters.open(config(Map.of()), plugins))
                    .isInstanceOf(SpreamException.class)
                    .hasMessageContaining("in use by this process");
        }
        assertThat(RecordingPlugins.NOTES).containsExactly("source of spream opened", "source closed");
    }

    private void keepLetter() throws IOException {
        try (JsonlDeadLetterSink sink = JsonlDeadLetterSink.open(letters())) {
            sink.accept(DeadLetters.failed(Changes.of(1, "A")));
        }
    }

    private Path letters() {
        return folder.resolve("letters.jsonl");
    }

    private SpreamConfig config(Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "source", "noted",
                "storage", "memory",
                "sink", "noted",
                "dead-letters", "jsonl",
                "dead-letters.jsonl.path", letters().toString()));
        settings.putAll(more);
        return SpreamConfig.of(settings);
    }
}
