package dev.spream.sink.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.pubsub.v1.PubsubMessage;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.SpreamException;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * A subscription from configuration, and what Google's own client receives of it, in order: on Google's emulator where there is
 * one, and on the server in this process in any case, which has no subscribers but keeps what it took.
 */
final class PubsubEmulatorIT {
    private static final int CHANGES = 500;
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final List<DataChangeRecord> COMMITTED = IntStream.rangeClosed(1, CHANGES)
            .mapToObj(second -> ScriptedSource.newChange(
                    second, "tx" + second, second % 10 == 0 ? keys(second, second / 10) : keys(second)))
            .toList();

    private final Optional<PubsubEmulator> emulator = PubsubEmulator.shared();

    /** Of fifty rows; two numbers give two rows. */
    private static List<String> keys(int... numbers) {
        return IntStream.of(numbers)
                .map(number -> number % 50)
                .distinct()
                .mapToObj(row -> "row" + row)
                .toList();
    }

    private static CompletionReason run(String host, String topic) {
        SpreamConfig config = SpreamConfig.of(Map.of(
                "sink",
                "pubsub",
                "sink.pubsub.topic",
                topic,
                "sink.pubsub.emulator-host",
                host,
                "max-inflight",
                "200",
                "start",
                ScriptedSource.START.toString(),
                "end",
                ScriptedSource.at(CHANGES + 1).toString()));
        try (Spream spream = Spream.builder(config)
                .source(ScriptedSource.of(ScriptedSource.START, COMMITTED))
                .storage(new InMemoryPartitionStorage())
                .build()) {
            return spream.run();
        }
    }

    @Test
    void a_configured_subscription_publishes_everything_in_order() throws IOException {
        try (PublisherServer server = PublisherServer.start()) {
            assertThat(run(server.host(), PublisherServer.TOPIC)).isEqualTo(CompletionReason.COMPLETED);
            PublishedOrder.check(COMMITTED, server.taken());
        }
    }

    @Test
    void a_subscriber_with_message_ordering_receives_everything_in_order() throws Exception {
        int messages =
                COMMITTED.stream().mapToInt(change -> change.mods().size()).sum();
        if (emulator.isPresent()) {
            try (OrderedSubscription subscription =
                    OrderedSubscription.create(emulator.get().host())) {
                assertThat(run(emulator.get().host(), subscription.topic())).isEqualTo(CompletionReason.COMPLETED);
                List<PubsubMessage> received = subscription.awaitReceived(messages, BOUND);
                assertThat(received).hasSizeGreaterThanOrEqualTo(messages);
                PublishedOrder.check(COMMITTED, received);
            }
        }
    }

    @Test
    void a_topic_that_is_not_there_ends_the_start() throws IOException {
        try (PublisherServer server = PublisherServer.start()) {
            List<String> hosts =
                    emulator.map(found -> List.of(server.host(), found.host())).orElse(List.of(server.host()));
            for (String host : hosts) {
                assertThatThrownBy(() -> run(host, "projects/demo/topics/nowhere"))
                        .isInstanceOf(SpreamException.class)
                        .hasStackTraceContaining("gcloud pubsub topics create nowhere --project=demo");
            }
        }
    }
}
