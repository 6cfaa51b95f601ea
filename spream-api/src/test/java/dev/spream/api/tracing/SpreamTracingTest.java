package dev.spream.api.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.consume.TransactionConsumer;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.CompletionReason;
import dev.spream.testkit.subscription.ScriptedSource;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class SpreamTracingTest {
    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();
    private final SpreamTracing tracing = SpreamTracing.of(telemetry, "Orders");
    private final ScriptedSource source = new ScriptedSource()
            .roots("a-long-partition-token")
            .change("a-long-partition-token", 1, "secret-key")
            .change("a-long-partition-token", 2, "secret-key");
    private final AtomicInteger calls = new AtomicInteger();

    @Test
    void every_call_has_a_span_that_says_what_was_delivered_and_nothing_of_its_values() {
        List<Span> current = new CopyOnWriteArrayList<>();
        assertThat(run((change, delivery) -> current.add(Span.current()), 1)).isEqualTo(CompletionReason.COMPLETED);

        List<SpanData> spans = exporter.getFinishedSpanItems();
        assertThat(spans).hasSize(2).allSatisfy(span -> {
            assertThat(span.getName()).isEqualTo("process Orders");
            assertThat(span.getKind()).isEqualTo(SpanKind.CONSUMER);
            assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
            assertThat(attribute(span, "messaging.operation.type")).isEqualTo("process");
            assertThat(attribute(span, "messaging.destination.name")).isEqualTo("Orders");
            assertThat(attribute(span, "messaging.destination.partition.id")).isEqualTo("…on-token");
            assertThat(attribute(span, "spream.table")).isEqualTo("Accounts");
            assertThat(attribute(span, "spream.mod_type")).isEqualTo("UPDATE");
            assertThat(span.getAttributes().get(AttributeKey.longKey("spream.attempt")))
                    .isEqualTo(1);
            assertThat(span.getAttributes().get(AttributeKey.longKey("spream.epoch")))
                    .isEqualTo(1);
            assertThat(span.getAttributes().asMap().toString()).doesNotContain("secret-key");
        });
        assertThat(spans.getFirst().getAttributes().get(AttributeKey.stringKey("messaging.message.id")))
                .startsWith(ScriptedSource.at(1).toString());
        assertThat(current.stream()
                        .map(span -> span.getSpanContext().getSpanId())
                        .toList())
                .isEqualTo(spans.stream().map(SpanData::getSpanId).toList());
    }

    @Test
    void a_transaction_has_one_span() {
        List<Integer> sizes = new CopyOnWriteArrayList<>();
        TransactionConsumer consumer =
                transaction -> sizes.add(transaction.changes().size());
        assertThat(tracing.around(consumer)).isInstanceOf(TransactionConsumer.class);

        assertThat(run(consumer, 1)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(sizes).containsExactly(1, 1);
        assertThat(exporter.getFinishedSpanItems())
                .extracting(span -> attribute(span, "messaging.message.id"))
                .containsExactly("tx-a-long-partition-token-1", "tx-a-long-partition-token-2");
    }

    @Test
    void an_exception_of_a_consumer_passes_unchanged_and_is_on_its_span() {
        run(
                (change, delivery) -> {
                    if (calls.getAndIncrement() == 0) {
                        throw new IllegalStateException("not today\n  Detail: Failing row contains (Jane).");
                    }
                },
                1);

        List<SpanData> spans = exporter.getFinishedSpanItems();
        assertThat(spans).hasSize(3);
        assertThat(spans.getFirst().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(attribute(spans.getFirst(), "error.type")).isEqualTo(IllegalStateException.class.getName());
        Map<String, String> noted = new TreeMap<>();
        spans.getFirst()
                .getEvents()
                .getFirst()
                .getAttributes()
                .forEach((key, value) -> noted.put(key.getKey(), value.toString()));
        assertThat(noted)
                .containsEntry("exception.type", IllegalStateException.class.getName())
                .containsEntry("exception.message", "not today");
        assertThat(noted.get("exception.stacktrace"))
                .contains("at " + SpreamTracingTest.class.getName())
                .doesNotContain("Jane");
        assertThat(spans.get(1).getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(spans.get(1).getAttributes().get(AttributeKey.longKey("spream.attempt")))
                .isEqualTo(2);
        IllegalStateException thrown = new IllegalStateException("as it is");
        assertThatThrownBy(() -> tracing.around((change, delivery) -> {
                            throw thrown;
                        })
                        .consume(ScriptedSource.newChange(1, "A", "tx"), Delivery.ofReplay(PartitionToken.ROOT, 1)))
                .isSameAs(thrown);
    }

    @Test
    void a_batch_stays_a_batch_and_has_one_span_that_notes_what_failed_in_it() throws Exception {
        NotedBatch noted = new NotedBatch(
                List.of(ScriptedSource.newChange(1, "A", "tx-1"), ScriptedSource.newChange(2, "A", "tx-2")),
                new ArrayList<>());
        BatchConsumer batches = batch -> {
            assertThat(batch.changes()).isEqualTo(noted.changes());
            assertThat(batch.delivery(1)).isEqualTo(noted.delivery(1));
            assertThat(batch.isTransaction()).isTrue();
            batch.settle(0);
            if (calls.getAndIncrement() == 0) {
                batch.fail(1, new IllegalStateException("not today"));
            }
        };
        Consumer traced = tracing.around(batches);
        assertThat(traced).isInstanceOf(BatchConsumer.class);

        ((BatchConsumer) traced).consume(noted);
        ((BatchConsumer) traced).consume(noted);

        assertThat(noted.events()).containsExactly("settle 0", "fail 1", "settle 0");
        List<SpanData> spans = exporter.getFinishedSpanItems();
        assertThat(spans)
                .hasSize(2)
                .allSatisfy(span -> assertThat(
                                span.getAttributes().get(AttributeKey.longKey("messaging.batch.message_count")))
                        .isEqualTo(2));
        assertThat(spans.getFirst().getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
        assertThat(spans.getLast().getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }

    @Test
    void a_batch_consumer_is_run_as_one() {
        List<String> consumed = new CopyOnWriteArrayList<>();
        BatchConsumer batches = batch ->
                batch.changes().forEach(change -> consumed.add(change.identity().toString()));

        assertThat(run(batches, 8)).isEqualTo(CompletionReason.COMPLETED);

        assertThat(consumed).hasSize(2);
        assertThat(exporter.getFinishedSpanItems()).isNotEmpty();
    }

    @Test
    void flush_and_close_reach_the_consumer() throws Exception {
        List<String> reached = new ArrayList<>();
        try (ClosedConsumer closed = new ClosedConsumer(reached)) {
            Consumer traced = tracing.around(closed);
            traced.flush();
            ((AutoCloseable) traced).close();
        }
        assertThat(reached).startsWith("flush", "close");
        assertThat(exporter.getFinishedSpanItems()).isEmpty();
    }

    private record NotedBatch(List<DataChangeRecord> changes, List<String> events) implements BatchConsumer.Batch {
        @Override
        public Delivery delivery(int index) {
            return Delivery.ofReplay(PartitionToken.ROOT, index + 1);
        }

        @Override
        public boolean isTransaction() {
            return true;
        }

        @Override
        public void settle(int index) {
            events.add("settle " + index);
        }

        @Override
        public void fail(int index, Throwable cause) {
            events.add("fail " + index);
        }
    }

    private record ClosedConsumer(List<String> reached) implements Consumer, AutoCloseable {
        @Override
        public void consume(DataChangeRecord change, Delivery delivery) {}

        @Override
        public void flush() {
            reached.add("flush");
        }

        @Override
        public void close() {
            reached.add("close");
        }
    }

    private CompletionReason run(Consumer consumer, int maxInflight) {
        SpreamConfig config = SpreamConfig.of(Map.of(
                "start", ScriptedSource.START.toString(),
                "end", ScriptedSource.at(10).toString(),
                "max-inflight", Integer.toString(maxInflight)));
        try (Spream spream = Spream.builder(config)
                .source(source)
                .storage(new InMemoryPartitionStorage())
                .consumer(consumer)
                .around(tracing::around)
                .errorHandler(ErrorHandler.exponentialBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
                        .maxAttempts(3)
                        .thenStop())
                .build()) {
            return spream.run();
        }
    }

    private static String attribute(SpanData span, String name) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(name)));
    }
}
