package dev.spream.sinks;

import static dev.spream.testkit.consume.Changes.key;
import static dev.spream.testkit.consume.DeadLetters.failed;
import static dev.spream.testkit.consume.DeadLetters.parked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.JsonObject;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.consume.DeadLetterSinkFixture;
import dev.spream.testkit.consume.DeadLetterStoreContract;
import dev.spream.testkit.consume.DeadLetters;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the dead letter file: its content, its lock, and its state after a crash. */
final class JsonlDeadLetterSinkTest extends DeadLetterStoreContract {
    private static final Instant NOW = Instant.parse("2026-02-03T04:05:06Z");

    @TempDir
    Path folder;

    @Override
    protected DeadLetterSinkFixture createFixture() {
        return new JsonlFixture();
    }

    @Test
    void a_letter_is_one_line_of_json() throws IOException {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(parked(Changes.of(1, "A")));
            sink.acceptIfParked(DeadLetters.behind(Changes.of(2, "A")));
        }
        List<String> lines = Files.readAllLines(path());
        assertThat(lines).hasSize(2);
        JsonObject letter = JsonObject.of(lines.getFirst());
        assertThat(letter.members().keySet())
                .containsExactly(
                        "type",
                        "at",
                        "reason",
                        "partition",
                        "attempts",
                        "first_failure_at",
                        "failed_at",
                        "error_class",
                        "error_message",
                        "data_change_record");
        assertThat(letter.string("reason")).contains("PARKED");
        assertThat(letter.string("partition")).contains("partition-a");
        assertThat(letter.string("at")).contains("2026-01-01T01:00:00.123456789Z");
        assertThat(letter.string("first_failure_at")).contains("2026-01-01T00:59:00.123456789Z");
        assertThat(letter.int64("attempts")).hasValue(3);
        assertThat(letter.string("error_class")).contains("java.io.IOException");
        assertThat(letter.string("error_message")).contains("unreachable");
        assertThat(lines.getFirst()).endsWith(ChangeRecordJson.write(Changes.of(1, "A")) + "}");
        assertThat(JsonObject.of(lines.get(1)).members().keySet())
                .containsExactly("type", "at", "reason", "partition", "data_change_record");
    }

    @Test
    void the_history_of_a_letter_is_recorded_with_times() throws Exception {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(parked(Changes.of(1, "A")));
            sink.accept(failed(Changes.of(2, "B")));
            sink.delivering(Changes.of(3, "B"));
            sink.discard(identity(2));
            try (DeadLetterStore.Claim claim = sink.claim(identity(1), false).orElseThrow()) {
                claim.replayed();
            }
            sink.release(Set.of(key("A")));
        }
        assertThat(Files.readAllLines(path()).stream().skip(2)).containsExactly("""
                        {"type":"overtaken","at":"2026-02-03T04:05:06Z","commit_timestamp":"2026-01-01T00:00:03Z","server_transaction_id":"tx3","record_sequence":"00000000","keys":[{"table_name":"Orders","keys":{"Id":"B"}}]}""", """
                        {"type":"discarded","at":"2026-02-03T04:05:06Z","commit_timestamp":"2026-01-01T00:00:02Z","server_transaction_id":"tx2","record_sequence":"00000000"}""", """
                        {"type":"replayed","at":"2026-02-03T04:05:06Z","commit_timestamp":"2026-01-01T00:00:01Z","server_transaction_id":"tx1","record_sequence":"00000000"}""", """
                        {"type":"released","at":"2026-02-03T04:05:06Z","keys":[{"table_name":"Orders","keys":{"Id":"A"}}]}""");
    }

    @Test
    void a_long_message_is_cut_and_an_absent_one_is_empty() throws Exception {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(DeadLetters.of(DeadLetter.Reason.FAILED, Changes.of(1, "A"), new Error("x".repeat(5_000))));
            sink.accept(DeadLetters.of(DeadLetter.Reason.FAILED, Changes.of(2, "B"), new StackOverflowError()));
        }
        List<String> lines = Files.readAllLines(path());
        assertThat(JsonObject.of(lines.getFirst()).string("error_message")).contains("x".repeat(1_000) + "…");
        assertThat(JsonObject.of(lines.getLast()).string("error_message")).contains("");
    }

    @Test
    void a_last_line_that_was_cut_off_is_removed_and_the_change_kept_when_it_comes_again() throws IOException {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(parked(Changes.of(1, "A")));
            sink.accept(parked(Changes.of(2, "B")));
        }
        byte[] whole = Files.readAllBytes(path());
        int first = new String(whole, StandardCharsets.UTF_8).indexOf('\n') + 1;
        for (int length = first + 1; length < whole.length - 1; length += 7) {
            Files.write(path(), Arrays.copyOf(whole, length));
            try (JsonlDeadLetterSink sink = open()) {
                assertThat(sink.parkedKeys()).containsExactly(key("A"));
                sink.accept(parked(Changes.of(2, "B")));
            }
            assertThat(Files.readAllBytes(path())).isEqualTo(whole);
        }
    }

    @Test
    void a_last_line_without_its_end_is_kept() throws IOException {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(parked(Changes.of(1, "A")));
        }
        byte[] whole = Files.readAllBytes(path());
        Files.write(path(), Arrays.copyOf(whole, whole.length - 1));
        try (JsonlDeadLetterSink sink = open()) {
            assertThat(sink.parkedKeys()).containsExactly(key("A"));
        }
        assertThat(Files.readAllBytes(path())).isEqualTo(whole);
    }

    @Test
    void a_last_line_of_which_the_file_system_kept_only_the_length_is_removed() throws IOException {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(parked(Changes.of(1, "A")));
        }
        byte[] whole = Files.readAllBytes(path());
        for (String tail : List.of("\0\0\0\0", "\0\0\"}}\n")) {
            Files.writeString(path(), tail, StandardOpenOption.APPEND);
            open().close();
            assertThat(Files.readAllBytes(path())).isEqualTo(whole);
        }
    }

    @Test
    void a_damaged_line_is_an_error_that_names_it_and_changes_nothing() throws IOException {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(parked(Changes.of(1, "A")));
            sink.accept(parked(Changes.of(2, "B")));
        }
        List<String> lines = Files.readAllLines(path());
        for (String damaged : List.of(
                lines.getLast().substring(5),
                lines.getLast().replace("\"letter\"", "\"unknown\""),
                lines.getLast().replace("PARKED", "LOST"),
                lines.getLast().replace("\"attempts\":3", "\"attempts\":0"),
                lines.getLast().replace("data_change_record", "data"))) {
            Files.write(path(), List.of(lines.getFirst(), damaged, lines.getLast()));
            byte[] before = Files.readAllBytes(path());
            assertThatThrownBy(this::open)
                    .isInstanceOf(DeadLetterException.class)
                    .hasMessageContaining(path().toString())
                    .hasMessageContaining("line 2");
            assertThat(Files.readAllBytes(path())).isEqualTo(before);
        }
        Files.write(path(), List.of(lines.getFirst(), "no letter"));
        assertThatThrownBy(this::open).isInstanceOf(DeadLetterException.class).hasMessageContaining("line 2");
        Files.write(path(), lines);
        open().close();
    }

    @Test
    void one_sink_at_a_time_has_the_file() throws IOException {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(parked(Changes.of(1, "A")));
            Files.readAllBytes(path());
            Path link = Files.createSymbolicLink(folder.resolve("link"), path());
            for (Path name : List.of(path(), link)) {
                assertThatThrownBy(() -> JsonlDeadLetterSink.open(name))
                        .isInstanceOf(DeadLetterException.class)
                        .hasMessageContaining("in use by this process");
            }
        }
        open().close();
    }

    @Test
    void a_file_that_another_process_has_is_refused() throws Exception {
        open().close();
        Process other = holder().redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            assertThat(other.getInputStream().read()).isEqualTo('!');
            assertThatThrownBy(this::open)
                    .isInstanceOf(DeadLetterException.class)
                    .hasMessageContaining("in use by another process");
        } finally {
            other.destroyForcibly().waitFor();
        }
        open().close();
    }

    @Test
    void a_second_sink_that_is_refused_does_not_open_the_file_to_other_processes() throws Exception {
        try (JsonlDeadLetterSink sink = open()) {
            sink.accept(parked(Changes.of(1, "A")));
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(this::open).hasMessageContaining("in use by this process");
            }
            assertThat(saidByHolder()).contains("in use by another process");
        }
        assertThat(saidByHolder()).isEqualTo("!");
    }

    @Test
    void a_file_that_something_else_has_locked_stays_locked() throws Exception {
        Path lock = folder.resolve("letters.jsonl.lock");
        try (FileChannel held = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            held.lock();
            assertThatThrownBy(this::open).hasMessageContaining("in use by this process");
            assertThat(saidByHolder()).contains("in use by another process");
        }
    }

    /** Returns the output of another process that opens the file and closes it at once. */
    private String saidByHolder() throws Exception {
        Process other = holder().redirectErrorStream(true).start();
        try {
            other.getOutputStream().close();
            return new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    private ProcessBuilder holder() {
        return new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                FileHolder.class.getName(),
                path().toString());
    }

    @Test
    void a_new_file_is_for_its_owner_alone_and_an_old_one_keeps_its_permissions() throws IOException {
        assertThat(folder.getFileSystem().supportedFileAttributeViews()).contains("posix");
        open().close();
        assertThat(Files.getPosixFilePermissions(path())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-r-----"));
        open().close();
        assertThat(Files.getPosixFilePermissions(path())).isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
    }

    @Test
    void a_folder_that_does_not_exist_is_an_error() {
        assertThatThrownBy(() -> JsonlDeadLetterSink.open(folder.resolve("absent/letters.jsonl")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void a_thread_that_is_interrupted_keeps_its_letter_and_closes_nothing() throws Exception {
        try (JsonlDeadLetterSink sink = open()) {
            Thread.currentThread().interrupt();
            sink.accept(parked(Changes.of(1, "A")));
            assertThat(Thread.interrupted()).isTrue();
            sink.accept(parked(Changes.of(2, "B")));
        }
        assertThat(Files.readAllLines(path())).hasSize(2);
    }

    @Test
    void lines_that_are_forced_together_are_forced_once() throws Exception {
        List<String> lines = new ArrayList<>();
        try (DeadLetterFile file = DeadLetterFile.open(path(), (line, place) -> lines.add(line))) {
            long before = file.forces();
            file.append("one");
            long first = file.end();
            file.append("two");
            file.awaitDurable(file.end());
            file.awaitDurable(first);
            assertThat(file.forces()).isEqualTo(before + 1);
            file.append("three");
            file.awaitDurable(first);
            assertThat(file.forces()).isEqualTo(before + 1);
            file.awaitDurable(file.end());
            assertThat(file.forces()).isEqualTo(before + 2);
        }
        DeadLetterFile.open(path(), (line, place) -> lines.add(line)).close();
        assertThat(lines).containsExactly("one", "two", "three");
    }

    @Test
    void threads_share_the_file_without_mixing_lines() throws Exception {
        int letters = 1_000;
        try (JsonlDeadLetterSink sink = open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> accepted = new ArrayList<>();
            for (int i = 0; i < letters; i++) {
                DeadLetter letter = failed(Changes.of(i, "A" + i));
                accepted.add(threads.submit(() -> {
                    sink.accept(letter);
                    return null;
                }));
            }
            for (Future<?> each : accepted) {
                each.get();
            }
        }
        assertThat(Files.readAllLines(path())).hasSize(letters).allSatisfy(DeadLetterJson::read);
    }

    @Test
    void a_change_that_is_not_json_is_refused_before_it_damages_the_file() throws IOException {
        try (JsonlDeadLetterSink sink = open()) {
            assertThatThrownBy(() -> sink.accept(failed(Changes.withValues(1, "{\"broken\":", "A"))))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("could not be read again");
            sink.accept(failed(Changes.of(2, "A")));
        }
        assertThat(Files.readAllLines(path())).hasSize(1);
    }

    @Test
    void a_sink_that_was_closed_takes_nothing() throws IOException {
        JsonlDeadLetterSink sink = open();
        sink.close();
        sink.close();
        assertThatThrownBy(() -> sink.accept(failed(Changes.of(1, "A"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is closed");
        assertThatThrownBy(() -> sink.acceptIfParked(DeadLetters.behind(Changes.of(1, "A"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is closed");
    }

    private Path path() {
        return folder.resolve("letters.jsonl");
    }

    private JsonlDeadLetterSink open() throws IOException {
        return new JsonlDeadLetterSink(path(), InstantSource.fixed(NOW));
    }

    /** A process that has a file open until its input ends. */
    static final class FileHolder {
        private FileHolder() {}

        @SuppressWarnings({"InfiniteLoopStatement", "SystemOut"})
        public static void main(String[] args) throws IOException {
            try (JsonlDeadLetterSink sink = JsonlDeadLetterSink.open(Path.of(args[0]))) {
                System.out.write('!');
                System.out.flush();
                while (System.in.read() >= 0) {
                    sink.parkedKeys();
                }
            }
        }
    }
}
