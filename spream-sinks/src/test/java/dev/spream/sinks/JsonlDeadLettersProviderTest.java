package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.testkit.subscription.ScriptedSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JsonlDeadLettersProviderTest {
    @TempDir
    Path folder;

    @Test
    void letters_are_kept_in_the_file_and_found_again() throws Exception {
        Path path = folder.resolve("letters.jsonl");
        try (AutoCloseable closing = (AutoCloseable) open(path)) {
            ((DeadLetterSink) closing).accept(behindParked());
        }
        assertThat(Files.readAllLines(path)).hasSize(1);
        try (AutoCloseable closing = (AutoCloseable) open(path)) {
            assertThat(((DeadLetterSink) closing).parkedKeys())
                    .isEqualTo(RecordKey.of(behindParked().change()));
        }
    }

    @Test
    void a_folder_that_is_missing_or_a_file_that_is_taken_is_said_with_its_key() throws Exception {
        assertThatThrownBy(() -> open(folder.resolve("absent/letters.jsonl")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("path: the folder of ")
                .hasMessageEndingWith("does not exist; create it");
        Path path = folder.resolve("letters.jsonl");
        try (AutoCloseable closing = (AutoCloseable) open(path)) {
            assertThatThrownBy(() -> open(path))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("path: the dead letter file ")
                    .hasMessageContaining("is in use");
            assertThat(closing).isNotNull();
        }
    }

    @Test
    void dead_letters_go_to_the_configured_file() throws Exception {
        Path letters = folder.resolve("letters.jsonl");
        List<String> consumed = new CopyOnWriteArrayList<>();
        Spream spream = Spream.builder(SpreamConfig.of(Map.of(
                        "start",
                        ScriptedSource.START.toString(),
                        "end",
                        ScriptedSource.at(10).toString(),
                        "on-failure",
                        "park-key",
                        "retry.max-attempts",
                        "1",
                        "dead-letters",
                        "jsonl",
                        "dead-letters.jsonl.path",
                        letters.toString())))
                .source(new ScriptedSource()
                        .roots("p")
                        .change("p", 1, "a")
                        .change("p", 2, "b")
                        .change("p", 3, "a"))
                .storage(new InMemoryPartitionStorage())
                .consumer(change -> {
                    if (change.serverTransactionId().equals("tx-p-1")) {
                        throw new IllegalStateException("bad");
                    }
                    consumed.add(change.serverTransactionId());
                })
                .build();
        assertThat(spream.run()).isEqualTo(CompletionReason.COMPLETED);
        assertThat(consumed).containsExactly("tx-p-2");
        try (JsonlDeadLetterSink kept = JsonlDeadLetterSink.open(letters)) {
            assertThat(kept.openLetters())
                    .extracting(letter -> letter.identity().serverTransactionId())
                    .containsExactly("tx-p-1", "tx-p-3");
        }
    }

    private static DeadLetter behindParked() {
        return new DeadLetter(
                DeadLetter.Reason.BEHIND_PARKED,
                SinkChanges.DELIVERY.partition(),
                SinkChanges.inserted(1, "a"),
                SinkChanges.START,
                Optional.empty());
    }

    private static DeadLetterSink open(Path path) throws Exception {
        JsonlDeadLettersProvider provider = new JsonlDeadLettersProvider();
        return provider.create(TestConfig.of(provider, Map.of("path", path.toString())), new TestContext());
    }
}
