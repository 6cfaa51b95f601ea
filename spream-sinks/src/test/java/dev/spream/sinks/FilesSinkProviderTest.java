package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.ConfigCheck;
import dev.spream.api.Spream;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.consume.DeliveryFailure;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.sink.files.CommittedFile;
import dev.spream.sink.files.FilesReader;
import dev.spream.sink.files.LocalStore;
import dev.spream.sink.files.ObjectStore;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sink {@code files} as it is configured. */
final class FilesSinkProviderTest {
    private static final int CHANGES = 200;

    @TempDir
    private Path folder;

    private static ScriptedSource source() {
        ScriptedSource source = new ScriptedSource().roots("p");
        for (int second = 1; second <= CHANGES; second++) {
            source.change("p", second, "k" + second % 7);
        }
        return source;
    }

    private Spream spream(Map<String, String> more) {
        return spream(new InMemoryPartitionStorage(), more);
    }

    private Spream spream(PartitionStorage storage, Map<String, String> more) {
        return Spream.builder(SpreamConfig.of(config(more)))
                .source(source())
                .storage(storage)
                .build();
    }

    private Map<String, String> config(Map<String, String> more) {
        Map<String, String> config = new HashMap<>(Map.of("sink", "files", "sink.files.folder", folder.toString()));
        config.put("start", ScriptedSource.START.toString());
        config.put("end", ScriptedSource.at(CHANGES).toString());
        config.putAll(more);
        return config;
    }

    private List<DataChangeRecord> counted() throws Exception {
        List<DataChangeRecord> counted = new ArrayList<>();
        try (ObjectStore store = LocalStore.open(folder)) {
            FilesReader reader = FilesReader.of(store);
            for (CommittedFile file : reader.files()) {
                byte[] content = reader.content(file);
                byte[] text = file.name().endsWith(".gz")
                        ? new GZIPInputStream(new ByteArrayInputStream(content)).readAllBytes()
                        : content;
                new String(text, StandardCharsets.UTF_8)
                        .lines()
                        .map(ChangeRecordJson::readDataChange)
                        .forEach(counted::add);
            }
        }
        return counted;
    }

    @Test
    void changes_come_in_the_order_of_the_partition_however_many_are_in_flight() throws Exception {
        try (Spream spream = spream(Map.of("max-inflight", "100"))) {
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        }
        assertThat(counted())
                .hasSize(CHANGES)
                .isSortedAccordingTo((one, other) -> one.commitTimestamp().compareTo(other.commitTimestamp()));
    }

    @Test
    void a_second_run_of_the_same_changes_adds_nothing() throws Exception {
        PartitionStorage lost = new InMemoryPartitionStorage();
        Map<String, String> more =
                new HashMap<>(Map.of("sink.files.compression", "none", "sink.files.path", "t={table}"));
        try (Spream spream = spream(lost, more)) {
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        }
        String createdAt = lost.createdAt().orElseThrow().toString();
        try (Spream spream = spream(more)) {
            assertThatThrownBy(spream::run).hasMessageContaining("set take-over=" + createdAt);
        }
        more.put("sink.files.take-over", createdAt);
        try (Spream spream = spream(more)) { // the storage has forgotten, the log has not
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        }
        assertThat(counted()).hasSize(CHANGES);
        try (ObjectStore store = LocalStore.open(folder)) {
            assertThat(FilesReader.of(store).files())
                    .allSatisfy(file -> assertThat(file.name())
                            .startsWith("data/t=Accounts/")
                            .endsWith(".jsonl"));
        }
    }

    @Test
    void another_order_is_refused() {
        assertThatThrownBy(() -> spream(Map.of("ordering", "key", "transaction-mode", "whole")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "ordering is key, but the sink files needs the order in which a partition is read")
                .hasMessageContaining("transaction-mode is whole, but the sink files needs");
        assertThat(ConfigCheck.of(SpreamConfig.of(config(Map.of("ordering", "none"))))
                        .problems())
                .anyMatch(problem -> problem.startsWith("ordering is none"));
    }

    @Test
    void a_failure_that_does_not_stop_the_subscription_is_refused() {
        for (String outcome : List.of("skip", "dead-letter", "park-key")) {
            assertThat(ConfigCheck.of(SpreamConfig.of(config(Map.of("on-failure", outcome))))
                            .problems())
                    .as(outcome)
                    .anyMatch(problem -> problem.startsWith("on-failure is " + outcome + ", but the sink files")
                            && problem.endsWith("set on-failure=stop, or remove it"));
        }
        assertThat(ConfigCheck.of(SpreamConfig.of(config(Map.of("on-failure", "stop"))))
                        .problems())
                .noneMatch(problem -> problem.contains("on-failure"));
    }

    @Test
    void an_error_handler_of_the_program_retries_or_stops() throws Exception {
        List<DeliveryFailure> failures = new ArrayList<>();
        try (Spream spream = Spream.builder(SpreamConfig.of(config(Map.of())))
                .source(source())
                .storage(new InMemoryPartitionStorage())
                .around(sink -> (change, delivery) -> {
                    sink.consume(change, delivery);
                    throw new IOException("the answer was lost");
                })
                .errorHandler(failure -> {
                    failures.add(failure);
                    return failure.attempt() < 3 ? new ErrorDecision.Retry(Duration.ZERO) : new ErrorDecision.Skip();
                })
                .build()) {
            assertThatThrownBy(spream::run)
                    .hasStackTraceContaining("the decision Skip is not possible with the sink files")
                    .hasStackTraceContaining("decide to retry or to stop");
        }
        assertThat(failures).hasSize(3);
    }

    @Test
    void a_state_that_other_processes_do_not_share_is_refused() {
        assertThat(ConfigCheck.of(SpreamConfig.of(config(Map.of("storage", "memory"))))
                        .problems())
                .anyMatch(problem -> problem.startsWith("storage is memory, but the sink files")
                        && problem.endsWith("Set storage=jdbc or storage=spanner"));
    }

    @Test
    void a_folder_that_is_not_there_is_refused_before_anything_is_opened() {
        Path missing = folder.resolve("missing");
        assertThat(ConfigCheck.of(SpreamConfig.of(config(Map.of("sink.files.folder", missing.toString()))))
                        .problems())
                .anyMatch(problem -> problem.equals(
                        "sink.files.folder: %s does not exist, or is not a folder; create it".formatted(missing)));
    }

    @Test
    void a_path_that_leads_elsewhere_is_refused() {
        for (String path : List.of("../x", "a//b", "hour={hour}", "{day}", "/a", "a b")) {
            assertThat(ConfigCheck.of(SpreamConfig.of(config(Map.of("sink.files.path", path))))
                            .problems())
                    .as(path)
                    .anyMatch(problem -> problem.startsWith("sink.files.path is '" + path + "'"));
        }
    }

    @Test
    void two_partition_storages_do_not_share_a_log() throws Exception {
        PartitionStorage one = new InMemoryPartitionStorage();
        try (Spream spream = spream(one, Map.of())) {
            spream.run();
        }
        try (Spream spream = spream(new InMemoryPartitionStorage(), Map.of())) {
            assertThatThrownBy(spream::run)
                    .hasMessageContaining("was stored at " + one.createdAt().orElseThrow())
                    .hasMessageContaining("the partition storage of this one has none yet")
                    .hasMessageContaining("Use a prefix or folder of its own for each partition storage");
        }
        assertThat(counted()).hasSize(CHANGES);
    }

    @Test
    void the_log_of_another_subscription_is_refused() {
        try (Spream spream = spream(Map.of("subscription", "one"))) {
            spream.run();
        }
        try (Spream spream = spream(Map.of("subscription", "two"))) {
            assertThatThrownBy(spream::run)
                    .hasMessageContaining("the log has the changes of the subscription one, and this one is two");
        }
    }
}
