package dev.spream.sinks.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.partition.InMemoryPartitionStorage;
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
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The webhook behind the engine, and a server that refuses every change once or more. */
@Timeout(60)
final class WebhookDeliveryTest {
    private static final int CHANGES = 60;
    private static final int KEYS = 5;

    @Test
    void each_key_arrives_in_order_across_refusals_and_nothing_is_lost() throws Exception {
        List<DataChangeRecord> changes = LongStream.rangeClosed(1, CHANGES)
                .mapToObj(second -> SinkChanges.inserted(second, "key" + second % KEYS))
                .toList();
        Map<String, Integer> attempts = new HashMap<>();
        List<DataChangeRecord> taken = new ArrayList<>();
        WebhookSinkProvider provider = new WebhookSinkProvider();
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> {
            int status;
            synchronized (attempts) {
                int attempt = attempts.merge(request.header("Idempotency-Key"), 1, Integer::sum);
                DataChangeRecord change = ChangeRecordJson.readDataChange(request.body());
                status = attempt > change.commitTimestamp().getEpochSecond() % 3 ? 200 : 503;
                if (status == 200) {
                    taken.add(change);
                }
            }
            LoopbackServer.respond(exchange, status, "");
        })) {
            WebhookSink sink = (WebhookSink)
                    provider.create(TestConfig.of(provider, Map.of("url", server.url("/"))), new TestContext());
            assertThat(run(changes, sink)).isEqualTo(CompletionReason.COMPLETED);
            assertThat(taken).containsExactlyInAnyOrderElementsOf(changes);
            for (int key = 0; key < KEYS; key++) {
                String id = "key" + key;
                assertThat(of(taken, id)).as(id).isEqualTo(of(changes, id));
            }
            assertThat(attempts).hasSize(CHANGES);
            assertThat(server.requests()).hasSize(CHANGES + CHANGES / 3 * (1 + 2));
        }
    }

    private static CompletionReason run(List<DataChangeRecord> changes, WebhookSink sink) {
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(SinkChanges.START)
                .endAt(SinkChanges.START.plusSeconds(CHANGES + 1))
                .maxInflight(16)
                .errorHandler(ErrorHandler.fixedBackoff(Duration.ofMillis(1)).forever())
                .build();
        try (sink;
                Subscriber subscriber = Subscriber.builder(
                                ScriptedSource.of(SinkChanges.START, changes), new InMemoryPartitionStorage())
                        .options(options)
                        .build()) {
            return subscriber.run(sink);
        }
    }

    private static List<DataChangeRecord> of(List<DataChangeRecord> changes, String id) {
        return changes.stream()
                .filter(change -> change.mods().getFirst().keys().string("Id").equals(Optional.of(id)))
                .toList();
    }
}
