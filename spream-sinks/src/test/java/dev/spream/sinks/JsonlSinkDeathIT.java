package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the files after the death of the writing process, or with a full disk. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class JsonlSinkDeathIT {
    private static final int DEATHS = Integer.getInteger("sink.deaths", 2);
    private static final int CONFIRMED_BEFORE_DEATH = 30;

    @TempDir
    Path folder;

    @Test
    void a_killed_process_leaves_whole_lines_and_all_that_it_had_confirmed() throws Exception {
        List<Long> confirmed = new ArrayList<>();
        for (int death = 0; death < DEATHS; death++) {
            Process writer = writer("exec \"$@\"", death * 100_000_000L, 20_000);
            try (BufferedReader said = writer.inputReader()) {
                for (int i = 0; i < CONFIRMED_BEFORE_DEATH; i++) {
                    confirmed.add(Long.parseLong(said(said, "confirmed ")));
                }
            } finally {
                writer.destroyForcibly().waitFor();
            }
            open().close();
            List<Long> seconds = JsonlFiles.seconds(folder);
            assertThat(seconds)
                    .as("after death %d", death + 1)
                    .containsAll(confirmed)
                    .isSorted()
                    .doesNotHaveDuplicates();
        }
        assertThat(JsonlFiles.names(folder)).as("files were put aside").hasSizeGreaterThan(DEATHS);
    }

    @Test
    void a_file_that_cannot_grow_holds_what_was_taken_and_no_part_of_a_line() throws Exception {
        Process writer = writer("ulimit -f 64; exec \"$@\"", 0, 1L << 30);
        String said;
        try (BufferedReader output = writer.inputReader()) {
            said = said(output, "failed at ");
        } finally {
            writer.destroyForcibly().waitFor();
        }
        assertThat(said).matches("\\d+ with java.io.IOException: .*changes.jsonl cannot be written: File too large");
        long failed = Long.parseLong(said.substring(0, said.indexOf(' ')));
        List<Long> seconds = JsonlFiles.seconds(folder);
        assertThat(seconds).hasSizeGreaterThan(20).hasSize((int) failed).last().isEqualTo(failed - 1);
    }

    @Test
    void a_second_process_does_not_write_what_the_first_one_has() throws Exception {
        try (JsonlSink first = open()) {
            assertThat(refusalOfAnotherProcess()).contains("is written by another process");
            first.flush();
        }
        assertThat(Files.size(path())).isZero();
    }

    @Test
    void a_second_sink_that_is_refused_does_not_open_the_file_to_other_processes() throws Exception {
        try (JsonlSink first = open()) {
            first.consume(SinkChanges.inserted(1, "1"), SinkChanges.DELIVERY);
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(this::open).hasMessageContaining("is written by this process");
            }
            assertThat(refusalOfAnotherProcess()).contains("is written by another process");
            first.flush();
        }
        assertThat(JsonlFiles.seconds(folder)).containsExactly(1L);
        open().close();
    }

    @Test
    void dead_letters_that_are_refused_the_file_do_not_open_it_to_other_processes() throws Exception {
        try (JsonlSink first = open()) {
            assertThatThrownBy(() -> JsonlDeadLetterSink.open(path())).hasMessageContaining("in use by this process");
            assertThat(refusalOfAnotherProcess()).contains("is written by another process");
            first.flush();
        }
        try (JsonlDeadLetterSink first = JsonlDeadLetterSink.open(path())) {
            assertThatThrownBy(this::open).hasMessageContaining("is written by this process");
            assertThat(refusalOfAnotherProcess()).contains("is written by another process");
            assertThat(first.openLetters()).isEmpty();
        }
    }

    private JsonlSink open() throws IOException {
        return JsonlSink.open(path(), Rotation.NEVER, ChangeLines.OF_RECORDS, InstantSource.system());
    }

    private String refusalOfAnotherProcess() throws Exception {
        Process other = writer("exec \"$@\"", 0, 1L << 30);
        try (BufferedReader said = other.inputReader()) {
            return said.lines()
                    .filter(line -> line.startsWith("refused: ") || line.startsWith("confirmed "))
                    .findFirst()
                    .orElse("nothing");
        } finally {
            other.destroyForcibly().waitFor();
        }
    }

    /** Returns the rest of the next line that begins with the word; log lines are in the same output. */
    private static String said(BufferedReader output, String word) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(word)) {
                return line.substring(word.length());
            }
        }
        throw new IOException("the process ended and never said '%s'".formatted(word));
    }

    private Process writer(String shell, long first, long maxSize) throws IOException {
        return new ProcessBuilder(
                        "sh",
                        "-c",
                        shell,
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        path().toString(),
                        Long.toString(first),
                        Long.toString(maxSize))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private Path path() {
        return folder.resolve("changes.jsonl");
    }

    /** A process that writes as fast as it can, and says up to which change it has flushed. */
    static final class Writer {
        private Writer() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] args) throws Exception {
            Rotation rotation = new Rotation(
                    Optional.of(Long.parseLong(args[2])), Optional.of(Duration.ofMinutes(1)), Optional.empty());
            try (JsonlSink sink = open(Path.of(args[0]), rotation)) {
                for (long second = Long.parseLong(args[1]); ; second++) {
                    try {
                        sink.consume(SinkChanges.inserted(second, "1"), SinkChanges.DELIVERY);
                    } catch (IOException e) {
                        System.out.printf("failed at %d with %s%n", second, e);
                        return;
                    }
                    if (second % 17 == 0) {
                        sink.flush();
                        System.out.println("confirmed " + second);
                    }
                }
            }
        }

        @SuppressWarnings("SystemOut")
        private static JsonlSink open(Path path, Rotation rotation) throws IOException {
            try {
                return JsonlSink.open(path, rotation, ChangeLines.OF_RECORDS, InstantSource.system());
            } catch (IOException e) {
                System.out.println("refused: " + e.getMessage());
                throw e;
            }
        }
    }
}
