package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.consume.DeadLetters;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the file after any history, a killed process and a full disk. */
final class JsonlDeadLetterSinkCrashTest {
    private static final int OPERATIONS = 80;
    private static final int SECONDS = 12;

    @TempDir
    Path folder;

    @Test
    void a_restart_finds_the_letters_and_parked_keys_of_random_operations() throws Exception {
        for (long seed = 1; seed <= 10; seed++) {
            Random random = new Random(seed);
            try (JsonlFixture fixture = new JsonlFixture()) {
                for (int i = 0; i < OPERATIONS; i++) {
                    operate(fixture.sink(), random);
                    if (random.nextInt(4) == 0) {
                        List<DeadLetterStore.Entry> open = fixture.sink().openLetters();
                        Set<RecordKey> parked = fixture.sink().parkedKeys();
                        fixture.restart();
                        assertThat(fixture.sink().openLetters())
                                .as("open, seed %d", seed)
                                .isEqualTo(open);
                        assertThat(fixture.sink().parkedKeys())
                                .as("parked, seed %d", seed)
                                .isEqualTo(parked);
                    }
                }
            }
        }
    }

    private static void operate(DeadLetterStore store, Random random) throws Exception {
        long second = random.nextInt(SECONDS);
        DataChangeRecord change = change(second);
        switch (random.nextInt(8)) {
            case 0, 1 -> store.accept(DeadLetters.failed(change));
            case 2 -> store.accept(DeadLetters.parked(change));
            case 3 -> store.acceptIfParked(DeadLetters.behind(change));
            case 4 -> store.delivering(change);
            case 5 -> store.discard(change.identity());
            case 6 ->
                store.release(store.parkedKeys().stream()
                        .filter(key -> random.nextBoolean())
                        .collect(Collectors.toSet()));
            default -> {
                Optional<DeadLetterStore.Claim> claimed = store.claim(change.identity(), random.nextBoolean());
                if (claimed.isPresent()) {
                    try (DeadLetterStore.Claim claim = claimed.get()) {
                        claim.replayed();
                    }
                }
            }
        }
    }

    /** The same keys for the same second. */
    private static DataChangeRecord change(long second) {
        return second % 3 == 0 ? Changes.of(second, "A", "B") : Changes.of(second, second % 3 == 1 ? "A" : "B");
    }

    @Test
    void a_process_that_is_killed_has_kept_what_it_said_it_has() throws Exception {
        Process writer = writer("exec \"$@\"");
        List<Long> kept = new ArrayList<>();
        try (BufferedReader said = writer.inputReader()) {
            while (kept.size() < 50) {
                kept.add(Long.parseLong(said.readLine()));
            }
        } finally {
            writer.destroyForcibly().waitFor();
        }
        assertThat(letters()).containsAll(kept);
    }

    @Test
    void a_file_that_cannot_grow_has_kept_what_was_accepted_and_no_part_of_a_line() throws Exception {
        Process writer = writer("ulimit -f 64; exec \"$@\"");
        List<Long> kept = new ArrayList<>();
        try (BufferedReader said = writer.inputReader()) {
            String line = said.readLine();
            while (!line.startsWith("failed")) {
                kept.add(Long.parseLong(line));
                line = said.readLine();
            }
            assertThat(line).contains("IOException");
        } finally {
            writer.destroyForcibly().waitFor();
        }
        assertThat(kept).hasSizeGreaterThan(20);
        assertThat(Files.readString(path())).endsWith("\n");
        assertThat(letters()).containsExactlyElementsOf(kept);
    }

    private List<Long> letters() throws IOException {
        try (JsonlDeadLetterSink sink = JsonlDeadLetterSink.open(path())) {
            return sink.openLetters().stream()
                    .map(letter ->
                            letter.identity().commitTimestamp().getEpochSecond() - Changes.START.getEpochSecond())
                    .toList();
        }
    }

    private Process writer(String shell) throws IOException {
        return new ProcessBuilder(
                        "sh",
                        "-c",
                        shell,
                        "sh",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        path().toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    private Path path() {
        return folder.resolve("letters.jsonl");
    }

    /** A process that keeps letters until it cannot, and says each one that it has kept. */
    static final class Writer {
        private Writer() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] args) throws IOException {
            JsonlDeadLetterSink sink = JsonlDeadLetterSink.open(Path.of(args[0]));
            for (long second = 1; ; second++) {
                try {
                    sink.accept(DeadLetters.failed(
                            Changes.withValues(second, "{\"Text\":\"" + "x".repeat(500) + "\"}", "A")));
                } catch (IOException e) {
                    System.out.println("failed with " + e);
                    return;
                }
                System.out.println(second);
            }
        }
    }
}
