package dev.spream.sinks;

import static dev.spream.sinks.SinkChanges.DELIVERY;
import static dev.spream.sinks.SinkChanges.inserted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.LogLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JsonlSinkTest {
    private static final Rotation SMALL = new Rotation(Optional.of(1024L), Optional.empty(), Optional.empty());

    @TempDir
    Path folder;

    private Instant now = Instant.parse("2026-01-31T12:00:00Z");

    @Test
    void each_change_is_a_line_that_reads_back() throws Exception {
        try (JsonlSink sink = open(Rotation.NEVER)) {
            sink.consume(inserted(1, "1"), DELIVERY);
            sink.consume(inserted(2, "two\\nlines, \u4e16"), DELIVERY);
            sink.flush();
        }
        assertThat(changes()).containsExactly(inserted(1, "1"), inserted(2, "two\\nlines, \u4e16"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw-------");
    }

    @Test
    void a_file_that_is_there_is_continued_and_keeps_its_permissions() throws Exception {
        write(1, 2);
        Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-r-----"));
        write(3, 3);
        assertThat(seconds()).containsExactly(1L, 2L, 3L);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw-r-----");
    }

    @Test
    void a_file_that_would_grow_too_large_is_put_aside_under_a_name_with_the_time() throws Exception {
        try (JsonlSink sink = open(SMALL)) {
            for (int second = 1; second <= 9; second++) {
                sink.consume(inserted(second, "1"), DELIVERY);
            }
            sink.consume(inserted(10, "1", "{\"Note\":\"" + "x".repeat(2000) + "\"}"), DELIVERY);
            sink.consume(inserted(11, "1"), DELIVERY);
            sink.flush();
        }
        assertThat(names()).first().isEqualTo("changes-20260131T120000.000Z-000001.jsonl");
        assertThat(names()).hasSizeGreaterThan(3).doesNotHaveDuplicates();
        assertThat(seconds())
                .isEqualTo(IntStream.rangeClosed(1, 11).mapToObj(Long::valueOf).toList());
        for (String name : names()) {
            assertThat(Files.size(folder.resolve(name)) <= 1024
                            || Files.readAllLines(folder.resolve(name)).size() == 1)
                    .as("only a line that is longer by itself goes beyond the size")
                    .isTrue();
        }
    }

    @Test
    void an_old_file_is_put_aside_by_the_next_change_or_flush_and_an_empty_one_never() throws Exception {
        Rotation hourly = new Rotation(Optional.empty(), Optional.of(Duration.ofHours(1)), Optional.empty());
        try (JsonlSink sink = open(hourly)) {
            now = now.plus(Duration.ofHours(5));
            sink.flush();
            sink.consume(inserted(1, "1"), DELIVERY);
            now = now.plus(Duration.ofMinutes(59));
            sink.consume(inserted(2, "1"), DELIVERY);
            assertThat(names()).containsExactly("changes.jsonl");
            now = now.plus(Duration.ofMinutes(1));
            sink.flush();
            assertThat(names()).containsExactly("changes-20260131T180000.000Z-000001.jsonl", "changes.jsonl");
            sink.consume(inserted(3, "1"), DELIVERY);
            now = now.plus(Duration.ofHours(1));
            sink.consume(inserted(4, "1"), DELIVERY);
        }
        assertThat(names())
                .containsExactly(
                        "changes-20260131T180000.000Z-000001.jsonl",
                        "changes-20260131T190000.000Z-000001.jsonl",
                        "changes.jsonl");
        assertThat(seconds()).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void file_names_stay_in_order_when_the_clock_is_set_back_or_stands_still() throws Exception {
        Rotation tiny = new Rotation(Optional.of(1L), Optional.empty(), Optional.empty());
        for (int second = 1; second <= 6; second++) {
            try (JsonlSink sink = open(tiny)) {
                sink.consume(inserted(second, "1"), DELIVERY);
            }
            now = second < 3 ? now : now.minusSeconds(60);
        }
        assertThat(seconds()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(names())
                .containsExactly(
                        "changes-20260131T120000.000Z-000001.jsonl",
                        "changes-20260131T120000.000Z-000002.jsonl",
                        "changes-20260131T120000.000Z-000003.jsonl",
                        "changes-20260131T120000.000Z-000004.jsonl",
                        "changes-20260131T120000.000Z-000005.jsonl",
                        "changes.jsonl");
    }

    @Test
    void as_many_files_stay_as_are_to_be_kept_and_no_file_of_others_is_touched() throws Exception {
        Files.writeString(folder.resolve("changes-of-mine.jsonl"), "{}\n");
        Rotation two = new Rotation(Optional.of(1L), Optional.empty(), Optional.of(2));
        try (JsonlSink sink = open(two)) {
            for (int second = 1; second <= 6; second++) {
                sink.consume(inserted(second, "1"), DELIVERY);
            }
        }
        Files.delete(folder.resolve("changes-of-mine.jsonl"));
        assertThat(seconds()).containsExactly(4L, 5L, 6L);
        open(new Rotation(Optional.of(1L), Optional.empty(), Optional.of(1))).close();
        assertThat(seconds()).containsExactly(5L, 6L);
    }

    @Test
    void a_line_that_a_crash_cut_off_is_removed_and_that_is_said() throws Exception {
        write(1, 3);
        byte[] whole = Files.readAllBytes(path());
        for (int cut : List.of(1, 7, 150)) {
            Files.write(path(), Arrays.copyOf(whole, whole.length - 1 - cut));
            try (LogLines logged = new LogLines(LineFile.class.getName())) {
                write(4, 4);
                assertThat(logged.lines())
                        .singleElement()
                        .asString()
                        .startsWith("WARN " + path().toRealPath() + " did not end with a whole line");
            }
            assertThat(seconds()).as("cut by %d", cut).containsExactly(1L, 2L, 4L);
        }
    }

    @Test
    void the_rest_of_the_file_after_unwritten_bytes_is_removed() throws Exception {
        write(1, 2);
        String line = Files.readAllLines(path()).getFirst() + "\n";
        append("\0".repeat(4096) + "\n" + line);
        write(3, 3);
        assertThat(seconds()).containsExactly(1L, 2L, 3L);

        for (String start : List.of("", "{\"commit_", "{\"commit_timestamp\":\"2026")) {
            Files.writeString(path(), start + "\0".repeat(100));
            write(4, 4);
            assertThat(seconds()).containsExactly(4L);
        }
    }

    @Test
    void a_last_line_without_its_end_is_kept_if_it_is_whole() throws Exception {
        write(1, 2);
        Files.writeString(path(), Files.readString(path()).stripTrailing());
        write(3, 3);
        assertThat(seconds()).containsExactly(1L, 2L, 3L);
    }

    @Test
    void a_file_of_something_else_is_refused_and_left_as_it_is() throws Exception {
        for (String other : List.of("name,total\nA,1", "{\"a\":\n1}", "{\"commit_time\":1}\n")) {
            Files.writeString(path(), other);
            assertThatThrownBy(() -> open(Rotation.NEVER))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("contains something other than changes in this format and is not changed");
            assertThat(Files.readString(path())).isEqualTo(other);
        }
    }

    @Test
    void a_file_has_one_sink_at_a_time() throws Exception {
        try (JsonlSink sink = open(Rotation.NEVER)) {
            assertThatThrownBy(() -> open(Rotation.NEVER))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is written by this process");
            sink.consume(inserted(1, "1"), DELIVERY);
        }
        write(2, 2);
        assertThat(seconds()).containsExactly(1L, 2L);
    }

    @Test
    void after_closing_nothing_is_taken_and_closing_again_is_harmless() throws Exception {
        JsonlSink sink = open(Rotation.NEVER);
        sink.close();
        sink.close();
        assertThatThrownBy(() -> sink.consume(inserted(1, "1"), DELIVERY)).hasMessageEndingWith("is closed");
        assertThatThrownBy(sink::flush).hasMessageEndingWith("is closed");
    }

    @Test
    void an_interrupted_thread_writes_nothing_and_harms_no_other() throws Exception {
        try (JsonlSink sink = open(SMALL)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> sink.consume(inserted(1, "1"), DELIVERY)).isInstanceOf(InterruptedException.class);
            for (int second = 2; second <= 9; second++) {
                sink.consume(inserted(second, "1"), DELIVERY);
            }
            Thread.currentThread().interrupt();
            sink.flush();
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(seconds()).hasSize(8);
    }

    @Test
    void a_rotation_that_cannot_be_is_tried_again_by_the_next_change() throws Exception {
        try (JsonlSink sink = open(SMALL)) {
            sink.consume(inserted(1, "1", "{\"Note\":\"" + "x".repeat(900) + "\"}"), DELIVERY);
            Files.createDirectory(folder.resolve("changes-99991231T235959.999Z-999999.jsonl"));
            Path inTheWay = Files.createDirectory(folder.resolve("changes-99991231T235959.999Z-1000000.jsonl"));
            assertThatThrownBy(() -> sink.consume(inserted(2, "1"), DELIVERY)).isInstanceOf(IOException.class);
            Files.delete(inTheWay);
            sink.consume(inserted(2, "1"), DELIVERY);
            sink.flush();
        }
        assertThat(Files.readAllLines(path())).hasSize(1);
        assertThat(Files.readAllLines(folder.resolve("changes-99991231T235959.999Z-1000000.jsonl")))
                .hasSize(1);
    }

    @Test
    void many_threads_lose_nothing_over_rotations_and_flushes() throws Exception {
        int threads = 8;
        int each = 200;
        CountDownLatch done = new CountDownLatch(threads);
        try (JsonlSink sink = open(new Rotation(Optional.of(8192L), Optional.empty(), Optional.empty()));
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Throwable> failures = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int first = thread * each;
                executor.execute(() -> {
                    try {
                        for (int i = 0; i < each; i++) {
                            sink.consume(inserted(first + i, "1"), DELIVERY);
                        }
                    } catch (Throwable t) {
                        synchronized (failures) {
                            failures.add(t);
                        }
                    } finally {
                        done.countDown();
                    }
                });
            }
            while (!done.await(1, TimeUnit.MILLISECONDS)) {
                sink.flush();
            }
            assertThat(failures).isEmpty();
        }
        assertThat(seconds())
                .containsExactlyInAnyOrderElementsOf(IntStream.range(0, threads * each)
                        .mapToObj(Long::valueOf)
                        .toList());
    }

    @Test
    void an_invalid_setting_is_reported_with_its_key() {
        assertThatThrownBy(() -> create(
                        Map.of("path", folder.resolve("absent/changes.jsonl").toString())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("path: the folder of ")
                .hasMessageEndingWith("does not exist; create it");
        assertThatThrownBy(() -> create(Map.of("path", folder.toString())))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a regular file");
        assertThatThrownBy(() -> create(Map.of("path", path().toString(), "keep", "3")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("keep: files are never rotated without max-size or max-age");
    }

    private static void create(Map<String, String> values) {
        JsonlSinkProvider provider = new JsonlSinkProvider();
        provider.create(TestConfig.of(provider, values), new TestContext());
    }

    private void write(int first, int last) throws Exception {
        try (JsonlSink sink = open(Rotation.NEVER)) {
            for (int second = first; second <= last; second++) {
                sink.consume(inserted(second, "1"), DELIVERY);
            }
        }
    }

    private void append(String text) throws IOException {
        Files.write(path(), text.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
    }

    private JsonlSink open(Rotation rotation) throws IOException {
        return JsonlSink.open(path(), rotation, ChangeLines.OF_RECORDS, () -> now);
    }

    private Path path() {
        return folder.resolve("changes.jsonl");
    }

    private List<String> names() throws IOException {
        return JsonlFiles.names(folder);
    }

    private List<DataChangeRecord> changes() throws IOException {
        List<DataChangeRecord> changes = new ArrayList<>();
        for (String name : names()) {
            try (Stream<String> lines = Files.lines(folder.resolve(name))) {
                lines.map(ChangeRecordJson::readDataChange).forEach(changes::add);
            }
        }
        return changes;
    }

    private List<Long> seconds() throws IOException {
        return JsonlFiles.seconds(folder);
    }
}
