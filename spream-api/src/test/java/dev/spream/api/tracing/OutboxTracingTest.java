package dev.spream.api.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class OutboxTracingTest {
    private static final Duration TIME = Duration.ofSeconds(1);
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String REQUEST = "b7ad6b7169203331";

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final OpenTelemetrySdk telemetry = OpenTelemetrySdk.builder()
            .setTracerProvider(SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();
    private final OutboxTracing tracing = OutboxTracing.of(telemetry, "http");
    private final List<Span> current = new ArrayList<>();

    @Test
    void sending_is_a_child_of_processing_which_belongs_to_the_trace_of_the_request() throws Exception {
        OutboxClaim claim = claim(7, Optional.of("00-%s-%s-01".formatted(TRACE, REQUEST)));
        OutboxSender sender = tracing.around(sender(() -> new SendOutcome.Succeeded(LedgerResult.succeeded())));
        tracing.sending(claim);
        sender.send(claim.entry(), TIME);
        tracing.settled(claim, new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded()), TIME);

        SpanData send = span("broker.send");
        SpanData process = span("outbox.process");
        assertThat(process.getTraceId()).isEqualTo(TRACE);
        assertThat(process.getParentSpanId()).isEqualTo(REQUEST);
        assertThat(send.getParentSpanId()).isEqualTo(process.getSpanId());
        assertThat(current.getFirst().getSpanContext().getSpanId()).isEqualTo(send.getSpanId());
        assertThat(attribute(send, "outbox.adapter")).isEqualTo("http");
        assertThat(attribute(send, "outbox.outcome")).isEqualTo("succeeded");
        assertThat(attribute(process, "outbox.status")).isEqualTo("succeeded");
        assertThat(process.getAttributes().get(AttributeKey.longKey("outbox.attempt")))
                .isEqualTo(3);
        assertThat(process.getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
    }

    @Test
    void an_entry_without_a_trace_or_with_a_broken_one_begins_its_own() {
        for (Optional<String> parent : List.of(Optional.<String>empty(), Optional.of("rubbish"))) {
            exporter.reset();
            OutboxClaim claim = claim(7, parent);
            tracing.sending(claim);
            tracing.leaseLost(claim);
            assertThat(span("outbox.process").getParentSpanId()).isEqualTo(SpanId.getInvalid());
            assertThat(attribute(span("outbox.process"), "outbox.status")).isEqualTo("lost");
        }
    }

    @Test
    void nothing_of_key_payload_or_answer_is_on_a_span() throws Exception {
        OutboxClaim claim = claim(7, Optional.empty());
        OutboxSender sender =
                tracing.around(sender(() -> new SendOutcome.Succeeded(LedgerResult.succeeded("\"secret answer\""))));
        tracing.sending(claim);
        sender.send(claim.entry(), TIME);
        tracing.settled(claim, new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded()), TIME);
        assertThat(exporter.getFinishedSpanItems())
                .hasSize(2)
                .allSatisfy(span -> assertThat(span.toString()).doesNotContain("secret"));
        assertThat(attribute(span("outbox.process"), "outbox.idempotency_key_hash"))
                .matches("[0-9a-f]{12}");
    }

    @Test
    void failures_are_errors_with_their_reason() throws Exception {
        OutboxClaim claim = claim(7, Optional.empty());
        OutboxSender sender = tracing.around(sender(() -> new SendOutcome.Unknown(ReasonCode.TIMEOUT, "no answer")));
        tracing.sending(claim);
        sender.send(claim.entry(), TIME);
        tracing.settled(claim, new Settlement.Parked(claim.ref(), ReasonCode.TIMEOUT, "no answer", true), TIME);
        assertThat(exporter.getFinishedSpanItems()).hasSize(2).allSatisfy(span -> {
            assertThat(span.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
            assertThat(attribute(span, "outbox.reason_code")).isEqualTo("TIMEOUT");
        });
        assertThat(attribute(span("outbox.process"), "outbox.status")).isEqualTo("parked");
    }

    @Test
    void an_exception_of_a_sender_passes_unchanged_and_its_span_has_its_class_only() {
        IOException broken = new IOException("secret host");
        OutboxSender sender = tracing.around(sender(() -> {
            throw broken;
        }));
        assertThatThrownBy(() -> sender.send(claim(7, Optional.empty()).entry(), TIME))
                .isSameAs(broken);
        assertThat(attribute(span("broker.send"), "error.type")).isEqualTo(IOException.class.getName());
        assertThat(span("broker.send").toString()).doesNotContain("secret");
    }

    @Test
    void a_query_and_the_attempt_after_it_are_children_of_one_span() throws Exception {
        OutboxClaim claim = claim(7, Optional.empty());
        OutboxSender sender = tracing.around(sender(() -> new SendOutcome.Succeeded(LedgerResult.succeeded())));
        tracing.sending(claim);
        sender.query(claim.entry(), TIME);
        tracing.sending(claim);
        sender.send(claim.entry(), TIME);
        tracing.settled(claim, new Settlement.Succeeded(claim.ref(), LedgerResult.succeeded()), TIME);
        assertThat(exporter.getFinishedSpanItems().stream().map(SpanData::getName))
                .containsExactly("broker.query", "broker.send", "outbox.process");
        assertThat(attribute(span("broker.query"), "outbox.outcome")).isEqualTo("not_there");
        assertThat(span("broker.query").getParentSpanId())
                .isEqualTo(span("broker.send").getParentSpanId())
                .isEqualTo(span("outbox.process").getSpanId());
    }

    @Test
    void an_entry_that_was_released_without_an_attempt_has_no_span() {
        OutboxClaim claim = claim(7, Optional.empty());
        tracing.settled(claim, new Settlement.Released(claim.ref()), TIME);
        assertThat(exporter.getFinishedSpanItems()).isEmpty();
    }

    private interface Sending {
        SendOutcome send() throws Exception;
    }

    private OutboxSender sender(Sending sending) {
        return new OutboxSender() {
            @Override
            public Guarantee guarantee() {
                return Guarantee.QUERYABLE;
            }

            @Override
            public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
                current.add(Span.current());
                return sending.send();
            }

            @Override
            public QueryOutcome query(OutboxEntry entry, Duration timeout) {
                return new QueryOutcome.NotThere();
            }
        };
    }

    private static OutboxClaim claim(long id, Optional<String> traceparent) {
        OutboxEntry entry = new OutboxEntry(
                id,
                "secret-key",
                1,
                "sha256:00",
                "{\"secret\":1}",
                Optional.empty(),
                "",
                Optional.empty(),
                traceparent,
                Instant.EPOCH,
                Optional.empty());
        return new OutboxClaim(entry, 1, 3, false, Instant.EPOCH);
    }

    private SpanData span(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String attribute(SpanData span, String name) {
        return String.valueOf(span.getAttributes().get(AttributeKey.stringKey(name)));
    }
}
