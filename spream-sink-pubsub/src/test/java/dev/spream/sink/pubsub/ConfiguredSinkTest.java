package dev.spream.sink.pubsub;

import static dev.spream.sink.pubsub.PubsubChanges.change;
import static dev.spream.sink.pubsub.PubsubChanges.labels;
import static dev.spream.sink.pubsub.PubsubChanges.withNote;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.pubsub.v1.PublishRequest;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.ConsumerException;
import dev.spream.sink.pubsub.PublisherServer.Reply;
import dev.spream.sinks.JsonlDeadLetterSink;
import dev.spream.testkit.subscription.ScriptedSource;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A subscription from configuration: what the policies make of what the sink says. */
final class ConfiguredSinkTest {
    private final InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
    private PublisherServer server;

    @BeforeEach
    void start() throws IOException {
        server = PublisherServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private CompletionReason run(List<DataChangeRecord> changes, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "sink",
                "pubsub",
                "sink.pubsub.topic",
                PublisherServer.TOPIC,
                "sink.pubsub.emulator-host",
                server.host(),
                "max-inflight",
                "10",
                "retry.base-delay",
                "1ms",
                "start",
                ScriptedSource.START.toString(),
                "end",
                ScriptedSource.at(60).toString()));
        settings.putAll(more);
        try (Spream spream = Spream.builder(SpreamConfig.of(settings))
                .source(ScriptedSource.of(ScriptedSource.START, changes))
                .storage(storage)
                .build()) {
            return spream.run();
        }
    }

    @Test
    void a_change_refused_for_good_is_parked_with_all_later_ones_of_its_key(@TempDir Path folder) throws Exception {
        Path letters = folder.resolve("letters.jsonl");
        List<DataChangeRecord> changes =
                List.of(change(1, "a"), withNote(2, "x".repeat(10_000_000), "a"), change(3, "b"), change(4, "a"));
        assertThat(run(
                        changes,
                        Map.of(
                                "on-failure", "park-key",
                                "dead-letters", "jsonl",
                                "dead-letters.jsonl.path", letters.toString())))
                .isEqualTo(CompletionReason.COMPLETED);
        assertThat(labels(server.taken())).containsExactlyInAnyOrder("a1", "b3");
        try (JsonlDeadLetterSink store = JsonlDeadLetterSink.open(letters)) {
            assertThat(store.openLetters())
                    .extracting(DeadLetterStore.Entry::reason)
                    .containsExactly(DeadLetter.Reason.PARKED, DeadLetter.Reason.BEHIND_PARKED);
        }
    }

    @Test
    void an_invalid_message_is_tried_once() {
        server.script(request -> new Reply.Refuse(Status.INVALID_ARGUMENT));
        assertThatThrownBy(() -> run(List.of(change(1, "a")), Map.of()))
                .isInstanceOf(ConsumerException.class)
                .hasMessageContaining("after 1 attempt; ");
        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void a_topic_that_is_not_there_for_a_while_is_waited_for() {
        List<PublishRequest> requests = new ArrayList<>();
        server.script(request -> {
            requests.add(request);
            return requests.size() <= 3 ? new Reply.Refuse(Status.NOT_FOUND) : new Reply.Confirm();
        });
        assertThat(run(List.of(change(1, "a")), Map.of())).isEqualTo(CompletionReason.COMPLETED);
        assertThat(labels(server.taken())).containsExactly("a1");
        assertThat(requests).hasSize(4);
    }

    @Test
    void a_restart_after_a_failure_continues_with_the_failed_change() {
        List<DataChangeRecord> changes = List.of(change(1, "a"), change(2, "a"), change(3, "b"), change(4, "a"));
        server.script(request -> labels(request.getMessagesList()).contains("a2")
                ? new Reply.Refuse(Status.PERMISSION_DENIED)
                : new Reply.Confirm());
        Map<String, String> settings =
                Map.of("retry.max-attempts", "2", "sink.pubsub.batch-messages", "1", "watermark-interval", "10ms");
        assertThatThrownBy(() -> run(changes, settings))
                .isInstanceOf(ConsumerException.class)
                .hasStackTraceContaining("roles/pubsub.publisher");
        assertThat(labels(server.taken())).doesNotContain("a2", "a4");
        server.confirmAll();
        assertThat(run(changes, settings)).isEqualTo(CompletionReason.COMPLETED);
        PublishedOrder.check(changes, server.taken());
    }
}
