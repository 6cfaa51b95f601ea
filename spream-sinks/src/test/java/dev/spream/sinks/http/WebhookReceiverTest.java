package dev.spream.sinks.http;

import static dev.spream.sinks.SinkChanges.inserted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.sinks.SinkChanges;
import dev.spream.sinks.TestConfig;
import dev.spream.sinks.TestContext;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The receiver of docs/webhook.md, which refuses by the headers what it was sent before something later. */
@Timeout(60)
final class WebhookReceiverTest {

    @Test
    void a_request_that_was_abandoned_does_not_undo_a_later_change_of_its_key() throws Exception {
        CountDownLatch laterIsThere = new CountDownLatch(1);
        CountDownLatch abandonedIsDone = new CountDownLatch(1);
        Receiver receiver = new Receiver();
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> {
                    boolean first = request.header("Idempotency-Key").contains("/tx1/");
                    if (first) {
                        laterIsThere.await(); // at work for longer than the sink waits
                    }
                    receiver.take(request);
                    (first ? abandonedIsDone : laterIsThere).countDown();
                    LoopbackServer.respond(exchange, 200, "");
                });
                WebhookSink sink = sink(server)) {
            assertThat(run(List.of(inserted(1, "key"), inserted(2, "key")), sink))
                    .isEqualTo(CompletionReason.COMPLETED);
            abandonedIsDone.await();
        }
        assertThat(receiver.applied)
                .extracting(DataChangeRecord::serverTransactionId)
                .containsExactly("tx2");
        assertThat(receiver.refused)
                .extracting(DataChangeRecord::serverTransactionId)
                .containsExactly("tx1");
    }

    @Test
    void a_request_of_a_former_owner_is_refused_and_a_replay_is_accepted() throws Exception {
        Receiver receiver = new Receiver();
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> {
                    receiver.take(request);
                    LoopbackServer.respond(exchange, 200, "");
                });
                WebhookSink sink = sink(server)) {
            PartitionToken partition = new PartitionToken("p");
            sink.consume(inserted(1, "a"), delivery(partition, 7));
            sink.consume(inserted(2, "b"), delivery(partition, 8));
            sink.consume(inserted(3, "c"), delivery(partition, 7));
            sink.consume(inserted(4, "d"), delivery(new PartitionToken("q"), 1));
            sink.consume(inserted(5, "e"), Delivery.ofReplay(partition, 2));
        }
        assertThat(receiver.applied)
                .extracting(DataChangeRecord::serverTransactionId)
                .containsExactly("tx1", "tx2", "tx4", "tx5");
        assertThat(receiver.refused)
                .extracting(DataChangeRecord::serverTransactionId)
                .containsExactly("tx3");
    }

    private static Delivery delivery(PartitionToken partition, long epoch) {
        return new Delivery(partition, epoch, 1, Optional.empty(), Optional.empty());
    }

    private static WebhookSink sink(LoopbackServer server) {
        WebhookSinkProvider provider = new WebhookSinkProvider();
        return (WebhookSink) provider.create(
                TestConfig.of(provider, Map.of("url", server.url("/"), "timeout", "2s")), new TestContext());
    }

    private static CompletionReason run(List<DataChangeRecord> changes, WebhookSink sink) {
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(SinkChanges.START)
                .endAt(SinkChanges.START.plusSeconds(10))
                .maxInflight(4)
                .errorHandler(ErrorHandler.fixedBackoff(Duration.ofMillis(1))
                        .maxAttempts(1)
                        .thenSkip())
                .build();
        try (Subscriber subscriber = Subscriber.builder(
                        ScriptedSource.of(SinkChanges.START, changes), new InMemoryPartitionStorage())
                .options(options)
                .build()) {
            return subscriber.run(sink);
        }
    }

    /** Keeps the last position of each row, and the highest epoch of each partition. */
    private static final class Receiver {
        private final Map<RecordKey, String> positions = new HashMap<>();
        private final Map<String, Long> epochs = new HashMap<>();
        private final List<DataChangeRecord> applied = new ArrayList<>();
        private final List<DataChangeRecord> refused = new ArrayList<>();

        synchronized void take(LoopbackServer.Request request) {
            DataChangeRecord change = ChangeRecordJson.readDataChange(request.body());
            if (isFromLostLease(request) || !moves(change, request)) {
                refused.add(change);
                return;
            }
            applied.add(change);
        }

        private boolean isFromLostLease(LoopbackServer.Request request) {
            long epoch = Long.parseLong(request.header("Spream-Epoch"));
            return epoch > 0 && epoch < epochs.merge(request.header("Spream-Partition"), epoch, Math::max);
        }

        private boolean moves(DataChangeRecord change, LoopbackServer.Request request) {
            String position = request.header("Spream-Commit-Timestamp") + request.header("Spream-Record-Sequence");
            for (RecordKey row : RecordKey.of(change)) {
                if (position.compareTo(positions.getOrDefault(row, "")) <= 0) {
                    return false;
                }
                positions.put(row, position);
            }
            return true;
        }
    }
}
