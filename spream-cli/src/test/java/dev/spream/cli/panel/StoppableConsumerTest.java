package dev.spream.cli.panel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.sinks.JsonlDeadLetterSink;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.consume.DeadLetters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StoppableConsumerTest {
    @TempDir
    Path folder;

    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicInteger calls = new AtomicInteger();

    @Test
    void a_sink_that_swallows_the_interrupt_gets_no_other_letter_of_a_stopped_replay() throws Exception {
        requireStopped((change, delivery) -> fail());
    }

    @Test
    void a_batch_sink_that_swallows_the_interrupt_gets_no_other_letter_of_a_stopped_replay() throws Exception {
        requireStopped((BatchConsumer) batch -> fail());
    }

    private void fail() throws IOException {
        calls.incrementAndGet();
        stopping.set(true);
        throw new IOException("unreachable");
    }

    private void requireStopped(Consumer sink) throws Exception {
        try (JsonlDeadLetterSink letters = JsonlDeadLetterSink.open(folder.resolve("letters.jsonl"))) {
            letters.accept(DeadLetters.parked(Changes.of(1, "A")));
            letters.accept(DeadLetters.parked(Changes.of(2, "B")));
            letters.accept(DeadLetters.parked(Changes.of(3, "C")));
            DeadLetterReplay replay = DeadLetterReplay.of(letters, StoppableConsumer.of(sink, stopping::get));

            assertThatThrownBy(replay::all).isInstanceOf(InterruptedException.class);

            assertThat(calls).hasValue(1);
            assertThat(letters.openLetters()).hasSize(3);
        }
    }
}
