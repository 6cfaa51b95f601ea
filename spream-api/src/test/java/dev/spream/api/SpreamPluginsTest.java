package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.plugin.PluginRegistry;
import dev.spream.core.SpreamException;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SpreamPluginsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private PluginRegistry plugins;

    @BeforeEach
    void discover() throws IOException {
        RecordingPlugins.holdUpClosing(new CountDownLatch(0));
        RecordingPlugins.NOTES.clear();
        plugins = RecordingPlugins.discover(folder);
    }

    @AfterEach
    void close() {
        plugins.close();
    }

    @Test
    void configured_plugins_are_opened_in_order_and_closed_in_reverse_order() {
        assertThat(spream(Map.of("sink", "noted")).run()).isEqualTo(CompletionReason.COMPLETED);
        assertThat(RecordingPlugins.NOTES)
                .containsExactly(
                        "source of spream opened",
                        "storage of Orders opened",
                        "sink's pool of Orders opened",
                        "consumed",
                        "sink closing",
                        "sink closed",
                        "sink's pool closed",
                        "storage closed",
                        "source closed");
    }

    @Test
    void a_subscription_has_the_name_that_it_is_given() {
        spream(Map.of("sink", "noted", "subscription", "billing")).run();
        assertThat(RecordingPlugins.NOTES)
                .contains("source of billing opened", "storage of billing opened", "sink's pool of billing opened");
    }

    @Test
    void plugins_that_were_opened_before_a_failure_are_closed() {
        assertThatThrownBy(() -> spream(Map.of("sink", "noted", "sink.noted.trouble", "broken"))
                        .run())
                .isInstanceOf(SpreamException.class)
                .hasMessageContaining("sink noted")
                .hasMessageContaining("the disk is full");
        assertThat(RecordingPlugins.NOTES)
                .containsExactly(
                        "source of spream opened",
                        "storage of Orders opened",
                        "sink's pool of Orders opened",
                        "sink's pool closed",
                        "storage closed",
                        "source closed");
    }

    @Test
    void a_sink_is_never_chosen_by_itself() {
        assertThatThrownBy(() -> spream(Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "sink is not configured; set it in the file, by the flag --sink or by the variable SPREAM_CONFIG_SINK. Found: ")
                .hasMessageNotContaining("storage")
                .hasMessageNotContaining("source");
    }

    @Test
    void an_unreadable_value_is_one_problem_and_no_default_replaces_it() {
        assertThatThrownBy(() -> spream(Map.of("sink", "noted", "storage", "${env:SPREAM_TEST_NOT_SET}")))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        wrong -> assertThat(wrong.problems())
                                .singleElement()
                                .asString()
                                .contains("storage", "SPREAM_TEST_NOT_SET"));
        SpreamConfig config = SpreamConfig.of(Map.of("plugins", "a\0b"));
        assertThat(ConfigCheck.of(config).problems())
                .anySatisfy(
                        problem -> assertThat(problem).startsWith("plugins is").contains("expected a path"));
    }

    @Test
    void keys_of_plugins_that_are_not_chosen_may_stay() {
        Map<String, String> settings = Map.of("sink", "noted", "event-source.change-stream.table", "Events");
        assertThat(spream(settings).run()).isEqualTo(CompletionReason.COMPLETED);
        assertThatThrownBy(() -> spream(Map.of("sink", "noted", "sink.note.trouble", "none")))
                .hasMessageContaining("sink.note.trouble")
                .hasMessageContaining("did you mean sink.noted.trouble?");
    }

    @Test
    void a_plugin_of_another_version_is_an_error_that_says_so_and_closes_everything() {
        assertThatThrownBy(() -> spream(trouble("misfit")).run())
                .isInstanceOf(SpreamException.class)
                .hasMessageContaining("sink noted");
        assertThat(RecordingPlugins.NOTES).endsWith("sink's pool closed", "storage closed", "source closed");
    }

    @Test
    void told_to_end_before_it_runs_it_opens_nothing() {
        Spream shutDown = spream(Map.of("sink", "noted"));
        assertThat(shutDown.shutdown()).isTrue();
        assertThat(shutDown.run()).isEqualTo(CompletionReason.SHUT_DOWN);
        Spream closed = spream(Map.of("sink", "noted"));
        closed.close();
        assertThat(closed.run()).isEqualTo(CompletionReason.CLOSED);
        assertThat(RecordingPlugins.NOTES).isEmpty();
    }

    @Test
    void a_close_interrupts_what_is_being_opened_and_waits_until_the_rest_is_closed() throws Exception {
        Spream spream = spream(trouble("stuck"));
        FutureTask<CompletionReason> run = start(spream);
        awaitNote("sink's pool of Orders opened");
        spream.close();
        assertThat(RecordingPlugins.NOTES).endsWith("sink's pool closed", "storage closed", "source closed");
        assertThat(run.get(1, TimeUnit.MINUTES)).isEqualTo(CompletionReason.CLOSED);
    }

    @Test
    void a_shutdown_stops_waiting_for_a_plugin_that_is_being_opened() throws Exception {
        Map<String, String> settings = new HashMap<>(trouble("stuck"));
        settings.put("shutdown-timeout", "50ms");
        Spream spream = spream(settings);
        FutureTask<CompletionReason> run = start(spream);
        awaitNote("sink's pool of Orders opened");
        assertThat(spream.shutdown()).isFalse();
        assertThat(run.get(1, TimeUnit.MINUTES)).isEqualTo(CompletionReason.CLOSED);
    }

    @Test
    void a_shutdown_returns_when_everything_is_closed() throws Exception {
        Spream spream = Spream.builder(
                        SpreamConfig.of(Map.of("sink", "noted", "start", ScriptedSource.START.toString())))
                .plugins(plugins)
                .storage(new InMemoryPartitionStorage())
                .build();
        FutureTask<CompletionReason> run = start(spream);
        awaitNote("consumed");
        CountDownLatch closing = new CountDownLatch(1);
        RecordingPlugins.holdUpClosing(closing);
        FutureTask<Boolean> shutdown = new FutureTask<>(spream::shutdown);
        Thread.ofVirtual().start(shutdown);
        awaitNote("sink closing");
        assertThatThrownBy(() -> shutdown.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        closing.countDown();
        assertThat(shutdown.get(1, TimeUnit.MINUTES)).isTrue();
        assertThat(RecordingPlugins.NOTES).endsWith("sink closed", "sink's pool closed", "source closed");
        assertThat(run.get(1, TimeUnit.MINUTES)).isEqualTo(CompletionReason.SHUT_DOWN);
    }

    @Test
    void an_interrupt_ends_the_run_and_not_the_closing() throws Exception {
        Spream spream = Spream.builder(
                        SpreamConfig.of(Map.of("sink", "noted", "start", ScriptedSource.START.toString())))
                .plugins(plugins)
                .storage(new InMemoryPartitionStorage())
                .build();
        FutureTask<CompletionReason> run = new FutureTask<>(spream::run);
        Thread runner = Thread.ofPlatform().start(run);
        awaitNote("consumed");
        runner.interrupt();
        assertThat(run.get(1, TimeUnit.MINUTES)).isEqualTo(CompletionReason.CLOSED);
        assertThat(RecordingPlugins.NOTES).contains("sink closed").doesNotContain("sink closed while interrupted");
    }

    private static FutureTask<CompletionReason> start(Spream spream) {
        FutureTask<CompletionReason> run = new FutureTask<>(spream::run);
        Thread.ofVirtual().start(run);
        return run;
    }

    private static void awaitNote(String note) {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!RecordingPlugins.NOTES.contains(note)) {
            assertThat(System.nanoTime()).as("%s", RecordingPlugins.NOTES).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static Map<String, String> trouble(String trouble) {
        return Map.of("sink", "noted", "sink.noted.trouble", trouble);
    }

    private Spream spream(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("start", ScriptedSource.START.toString());
        all.put("end", ScriptedSource.at(10).toString());
        return Spream.builder(SpreamConfig.of(all)).plugins(plugins).build();
    }
}
