package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.api.spi.RetryAfterException;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.ConsumerException;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class SpreamTest {
    private final ScriptedSource source = new ScriptedSource()
            .roots("p")
            .change("p", 1, "a")
            .change("p", 2, "b")
            .change("p", 3, "a");
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
    private final List<String> consumed = new CopyOnWriteArrayList<>();

    @Test
    void a_consumer_of_the_program_runs_as_configured() {
        try (Spream spream = spream(Map.of())
                .consumer(change -> consumed.add(
                        change.mods().getFirst().keys().string("Id").orElseThrow()))
                .build()) {
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
            assertThat(spream.lowWatermark()).isPresent();
            assertThatThrownBy(spream::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("this Spream has run already; create another one");
        }
        assertThat(consumed).containsExactly("a", "b", "a");
    }

    @Test
    void a_name_that_cannot_be_looked_up_is_one_problem_and_not_two() {
        ConfigCheck check = ConfigCheck.of(SpreamConfig.builder()
                .environment(Map.of())
                .flag("sink", "${env:NOT_SET}")
                .build());

        assertThat(check.problems())
                .filteredOn(problem -> problem.contains("sink"))
                .containsExactly("sink is '${env:NOT_SET}' (--sink): the variable NOT_SET is not set");
    }

    @Test
    void everything_that_is_wrong_is_said_at_once() {
        SpreamConfig config = SpreamConfig.of(Map.of(
                "storage", "memroy",
                "max-infligth", "3",
                "heartbeat-interval", "soon",
                "dead-letters", "nowhere"));
        ConfigException wrong = catchThrowableOfType(ConfigException.class, () -> Spream.create(config));
        assertThat(wrong.problems())
                .anySatisfy(problem -> assertThat(problem).contains("source is not configured"))
                .anySatisfy(problem ->
                        assertThat(problem).contains("storage is 'memroy'", "did you mean memory?", "memory ("))
                .anySatisfy(
                        problem -> assertThat(problem).contains("sink is not configured", "Found: none; add the jar"))
                .anySatisfy(problem ->
                        assertThat(problem).contains("dead-letters is 'nowhere'", "Found: none; add the jar"))
                .anySatisfy(problem -> assertThat(problem).contains("max-infligth", "did you mean max-inflight?"))
                .anySatisfy(
                        problem -> assertThat(problem).contains("heartbeat-interval", "'soon'", "expected duration"))
                .hasSize(6);
        assertThat(wrong)
                .hasMessageStartingWith("6 problems with the configuration:")
                .hasMessageContaining("6. ");
        assertThat(ConfigCheck.of(config).problems()).isEqualTo(wrong.problems());
    }

    @Test
    void a_plugin_of_ours_that_is_not_there_is_named_with_its_module() {
        assertThatThrownBy(() -> Spream.create(SpreamConfig.of(Map.of("storage", "jdbc"))))
                .hasMessageContaining("storage is 'jdbc' (set by the program), but there is no such plug-in; add"
                        + " dev.spream:spream-storage-jdbc to the class path. Found: memory (")
                .hasMessageContaining("such as dev.spream:spream-storage-spanner");
        assertThatThrownBy(() -> Spream.create(SpreamConfig.of(Map.of("sink", "stdout"))))
                .hasMessageContaining("add dev.spream:spream-sinks to the class path. Found: none");
        assertThatThrownBy(() -> Spream.create(SpreamConfig.of(Map.of("sink", "pubsub"))))
                .hasMessageContaining("add dev.spream:spream-sink-pubsub to the class path. Found: ");
    }

    @Test
    void a_part_is_named_or_brought_but_not_both() {
        assertThatThrownBy(() -> spream(Map.of("storage", "memory", "sink", "log"))
                        .consumer(change -> {})
                        .build())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("storage is 'memory' (set by the program), but the program provides one")
                .hasMessageContaining("sink is 'log' (set by the program), but the program provides one");
    }

    @Test
    void a_refused_change_is_tried_again_and_then_stops_the_subscription() {
        AtomicInteger attempts = new AtomicInteger();
        Spream spream = spream(Map.of("retry.max-attempts", "3", "retry.base-delay", "1ms", "retry.max-delay", "2ms"))
                .consumer(change -> {
                    attempts.incrementAndGet();
                    throw new IllegalStateException("not today");
                })
                .build();
        assertThatThrownBy(spream::run).isInstanceOf(ConsumerException.class);
        assertThat(attempts).hasValue(3);
    }

    @Test
    void a_change_that_is_rejected_is_not_tried_again() {
        List<String> attempts = new ArrayList<>();
        Spream spream = spream(Map.of("on-failure", "skip"))
                .consumer(change -> {
                    attempts.add(change.serverTransactionId());
                    throw new NonRetryableException("not ever");
                })
                .build();
        assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        assertThat(attempts).containsExactly("tx-p-1", "tx-p-2", "tx-p-3");
    }

    @Test
    void a_sink_that_was_told_when_to_come_back_is_not_sooner_there() {
        List<Long> times = new CopyOnWriteArrayList<>();
        Duration delay = Duration.ofMillis(150);
        Spream spream = spream(Map.of("retry.base-delay", "1ms", "retry.max-delay", "1ms"))
                .consumer(change -> {
                    times.add(System.nanoTime());
                    if (times.size() == 1) {
                        throw new RetryAfterException("busy", delay);
                    }
                })
                .build();
        assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        assertThat(Duration.ofNanos(times.get(1) - times.get(0))).isGreaterThanOrEqualTo(delay);
    }

    @Test
    void policies_that_contradict_each_other_are_refused() {
        assertThatThrownBy(() -> spream(
                                Map.of("on-failure", "dead-letter", "retry.base-delay", "10s", "retry.max-delay", "1s"))
                        .consumer(change -> {})
                        .build())
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("dead-letters is not configured")
                .hasMessageContaining("retry.max-delay is shorter than retry.base-delay");
    }

    @Test
    void a_filter_stands_in_front_of_any_sink() {
        Spream spream = spream(Map.of("filter.tables", "Orders*"))
                .consumer(change -> consumed.add(change.tableName()))
                .build();
        assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumed).isEmpty();
        assertThatThrownBy(() -> spream(Map.of("filter.mod-types", "insert,upsert", "filter.columns", "Total"))
                        .consumer(change -> {})
                        .build())
                .hasMessageContaining("expected insert, update or delete");
    }

    @Test
    void names_that_were_looked_up_are_not_quoted_by_what_refuses_them() {
        String lookedUp = "s3cr3t\nforged";
        for (String key : List.of("filter.tables", "filter.columns")) {
            ConfigCheck check = ConfigCheck.of(SpreamConfig.builder()
                    .environment(Map.of("FOUND", lookedUp))
                    .flag(key, "${env:FOUND}")
                    .build());
            assertThat(check.problems())
                    .contains(
                            key + " is the value of '${env:FOUND}' (--" + key + "): expected list, separated by commas")
                    .noneMatch(problem -> problem.contains("s3cr3t"));
        }
        assertThatThrownBy(() -> spream(Map.of("filter.columns", "Total"))
                        .consumer(change -> {})
                        .build())
                .hasMessage("filter.columns is 'Total' (set by the program): 'Total' is not a column name: write"
                        + " Table.Column, such as Orders.Status");
        assertThatThrownBy(() -> spream(Map.of("filter.tables", "Stock", "filter.columns", "Orders.s3cr3t"))
                        .consumer(change -> {})
                        .build())
                .isInstanceOf(ConfigException.class)
                .hasMessage("filter.columns has a column of a table that filter.tables excludes: add the table"
                        + " there too, or remove the column");
    }

    @Test
    void told_to_stop_before_it_runs_it_opens_nothing() {
        Spream spream = spream(Map.of()).consumer(change -> {}).build();
        assertThat(spream.shutdown()).isTrue();
        assertThat(spream.run()).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(storage.subscription()).isEmpty();
        spream.close();
    }

    @Test
    void it_finishes_what_has_started_when_it_is_told_to_stop() throws Exception {
        Map<String, String> endless = new HashMap<>(Map.of("start", ScriptedSource.START.toString()));
        Spream spream = Spream.builder(SpreamConfig.of(endless))
                .source(source)
                .storage(storage)
                .consumer(change -> consumed.add(change.serverTransactionId()))
                .build();
        List<CompletionReason> results = new CopyOnWriteArrayList<>();
        Thread running = Thread.ofVirtual().start(() -> results.add(spream.run()));
        while (consumed.size() < 3) {
            Thread.onSpinWait();
        }
        assertThat(spream.shutdown()).isTrue();
        running.join();
        assertThat(results).containsExactly(CompletionReason.SHUT_DOWN);
        spream.close();
    }

    @Test
    void a_close_interrupts_the_sink() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        Spream spream = spream(Map.of())
                .consumer(change -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                })
                .build();
        FutureTask<CompletionReason> run = new FutureTask<>(spream::run);
        Thread.ofVirtual().start(run);
        started.await();
        spream.close();
        assertThat(run.get()).isEqualTo(CompletionReason.CLOSED);
    }

    @Test
    @Timeout(30)
    void it_can_be_closed_while_a_program_holds_its_monitor_and_runs_it() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        Spream spream = spream(Map.of())
                .consumer(change -> {
                    started.countDown();
                    new CountDownLatch(1).await();
                })
                .build();
        FutureTask<CompletionReason> run = new FutureTask<>(() -> {
            synchronized (spream) {
                return spream.run();
            }
        });
        Thread.ofPlatform().daemon().start(run);
        started.await();
        Thread.ofPlatform().daemon().start(spream::close);
        assertThat(run.get(20, TimeUnit.SECONDS)).isEqualTo(CompletionReason.CLOSED);
    }

    @Test
    void a_sink_can_end_the_run_that_calls_it() {
        Spream[] running = new Spream[1];
        running[0] = spream(Map.of())
                .consumer(change -> {
                    consumed.add(change.serverTransactionId());
                    assertThat(running[0].shutdown()).isFalse();
                })
                .build();
        assertThat(running[0].run()).isEqualTo(CompletionReason.SHUT_DOWN);
        assertThat(consumed).containsExactly("tx-p-1");
    }

    @Test
    void a_policy_is_configured_or_brought_but_not_both() {
        assertThatThrownBy(() -> spream(Map.of("on-failure", "dead-letter"))
                        .consumer(change -> {})
                        .errorHandler(ErrorHandler.skip())
                        .build())
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        wrong -> assertThat(wrong.problems())
                                .containsExactly(
                                        "on-failure is 'dead-letter' (set by the program), but the program provides an"
                                                + " error handler: remove one of them"));
    }

    private Spream.Builder spream(Map<String, String> settings) {
        Map<String, String> all = new HashMap<>(settings);
        all.put("start", ScriptedSource.START.toString());
        all.put("end", ScriptedSource.at(10).toString());
        return Spream.builder(SpreamConfig.of(all)).source(source).storage(storage);
    }
}
