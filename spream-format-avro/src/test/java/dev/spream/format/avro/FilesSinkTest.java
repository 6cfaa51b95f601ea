package dev.spream.format.avro;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.ConfigCheck;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.sink.files.CommittedFile;
import dev.spream.sink.files.FilesReader;
import dev.spream.sink.files.LocalStore;
import dev.spream.sink.files.ObjectStore;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Avro in the sink {@code files}, with its log. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class FilesSinkTest {
    private static final int CHANGES = 300;

    @TempDir
    private Path folder;

    /** A new column from half of the changes on, and now and then a deletion, of two tables. */
    private static DataChangeRecord change(int second) {
        DataChangeRecord change =
                second % 10 == 0 ? Changes.deleted() : second <= CHANGES / 2 ? Changes.inserted() : Changes.withNote();
        DataChangeRecord dated = Changes.at(change, ScriptedSource.at(second));
        return second % 3 == 0 ? ofTable(dated, "sales.Orders") : dated;
    }

    private static DataChangeRecord ofTable(DataChangeRecord change, String table) {
        return new DataChangeRecord(
                change.commitTimestamp(),
                change.recordSequence(),
                change.serverTransactionId(),
                true,
                table,
                change.columnTypes(),
                change.mods(),
                change.modTypeName(),
                change.valueCaptureTypeName(),
                1,
                1,
                "",
                false);
    }

    private static final List<DataChangeRecord> COMMITTED =
            IntStream.rangeClosed(1, CHANGES).mapToObj(FilesSinkTest::change).toList();

    private SpreamConfig config(String... more) {
        Map<String, String> config = new HashMap<>(Map.of(
                "sink",
                "files",
                "sink.files.folder",
                folder.toString(),
                "sink.files.format",
                "avro",
                "sink.files.max-size",
                "10KiB",
                "start",
                ScriptedSource.START.toString(),
                "end",
                ScriptedSource.at(CHANGES + 1).toString()));
        for (int i = 0; i < more.length; i += 2) {
            config.put(more[i], more[i + 1]);
        }
        return SpreamConfig.of(config);
    }

    private void run(String... more) {
        try (Spream spream = Spream.builder(config(more))
                .source(ScriptedSource.of(ScriptedSource.START, COMMITTED))
                .storage(new InMemoryPartitionStorage())
                .build()) {
            assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        }
    }

    private interface Visit {
        void file(CommittedFile file, byte[] content) throws Exception;
    }

    private int eachFile(Visit visit) throws Exception {
        try (ObjectStore store = LocalStore.open(folder)) {
            FilesReader reader = FilesReader.of(store);
            for (CommittedFile file : reader.files()) {
                visit.file(file, reader.content(file));
            }
            return reader.entries(0).size();
        }
    }

    @Test
    void rows_of_each_table_are_in_the_files_of_the_log_in_order() throws Exception {
        run("format.avro.shape", "after");
        Map<String, List<Long>> times = new HashMap<>();
        Map<String, List<Boolean>> noted = new HashMap<>();
        int entries = eachFile((file, content) -> {
            assertThat(file.name()).endsWith(".avro");
            List<GenericRecord> rows = Containers.records(content);
            assertThat(file.rows()).isEqualTo(rows.size());
            assertThat(file.changes()).isEqualTo(rows.size());
            String table = Containers.schema(content).getFullName();
            rows.forEach(row ->
                    times.computeIfAbsent(table, name -> new ArrayList<>()).add((Long) row.get("__commit_timestamp")));
            noted.computeIfAbsent(table, name -> new ArrayList<>())
                    .add(Containers.schema(content).getField("Note") != null);
        });
        assertThat(entries).as("commits by size").isGreaterThan(3);
        assertThat(times.keySet()).containsExactlyInAnyOrder("Orders", "sales.Orders");
        times.forEach((table, seen) -> assertThat(seen)
                .isEqualTo(COMMITTED.stream()
                        .filter(change -> change.tableName().equals(table))
                        .map(change -> FieldValues.micros(change.commitTimestamp()))
                        .toList()));
        noted.values()
                .forEach(files -> assertThat(files)
                        .as("the new column is in later files, without a restart")
                        .isSorted()
                        .contains(false, true));
    }

    @Test
    void changes_of_all_tables_are_in_the_files_of_the_log() throws Exception {
        run("sink.files.compression", "zstandard");
        List<Long> times = new ArrayList<>();
        eachFile((file, content) -> {
            assertThat(Containers.codec(content)).isEqualTo("zstandard");
            Containers.records(content).forEach(change -> times.add((Long) change.get("commitTimestamp")));
        });
        assertThat(times)
                .isEqualTo(COMMITTED.stream()
                        .map(change -> FieldValues.micros(change.commitTimestamp()))
                        .toList());
    }

    @Test
    void compressions_that_do_not_fit_the_format_are_refused_by_the_check() {
        assertThat(ConfigCheck.of(config("sink.files.compression", "gzip")).problems())
                .anyMatch(
                        problem -> problem.contains(
                                "sink.files.compression: gzip is not one of format=avro, which has deflate, zstandard and none"));
        assertThat(ConfigCheck.of(config("sink.files.format", "record", "sink.files.compression", "deflate"))
                        .problems())
                .anyMatch(problem -> problem.contains(
                        "sink.files.compression: deflate is not one of format=record, which has gzip and none"));
        assertThat(ConfigCheck.of(config("sink.files.compression", "none")).problems())
                .noneMatch(problem -> problem.contains("compression"));
    }

    @Test
    void sinks_of_lines_refuse_it_by_the_check() {
        for (String sink : List.of("stdout", "jsonl")) {
            SpreamConfig config = SpreamConfig.of(Map.of("sink", sink, "sink.%s.format".formatted(sink), "avro"));
            assertThat(ConfigCheck.of(config).problems())
                    .anyMatch(problem -> problem.contains("expected record | after | debezium | cloudevents"));
        }
    }
}
