package dev.spream.api.tracing;

import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Makes the spans of an outbox. An entry has one claim of this worker at a time, so its id finds its span. */
final class OutboxSpans {
    private static final String INSTRUMENTATION = "dev.spream";
    private static final int HASH_DIGITS = 12;

    private static final AttributeKey<Long> ID = AttributeKey.longKey("outbox.id");
    private static final AttributeKey<String> KEY_HASH = AttributeKey.stringKey("outbox.idempotency_key_hash");
    private static final AttributeKey<Long> GENERATION = AttributeKey.longKey("outbox.generation");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("outbox.attempt");
    private static final AttributeKey<String> STATUS = AttributeKey.stringKey("outbox.status");
    private static final AttributeKey<String> REASON = AttributeKey.stringKey("outbox.reason_code");
    private static final AttributeKey<String> ADAPTER = AttributeKey.stringKey("outbox.adapter");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("outbox.outcome");
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    private static final TextMapGetter<String> TRACEPARENT = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(String carrier) {
            return List.of("traceparent");
        }

        @Override
        public @Nullable String get(@Nullable String carrier, String key) {
            return key.equals("traceparent") ? carrier : null;
        }
    };

    private final Tracer tracer;
    private final String adapter;
    private final Map<Long, Span> open = new ConcurrentHashMap<>(); // by the id of the entry

    OutboxSpans(OpenTelemetry telemetry, String adapter) {
        this.tracer = telemetry.getTracer(INSTRUMENTATION);
        this.adapter = adapter;
    }

    /** What is done within a span. */
    @FunctionalInterface
    interface Call<R> {
        R in(Span span) throws Exception;
    }

    /** Begins the span of an attempt, unless the query before it has. */
    void begin(OutboxClaim claim) {
        open.computeIfAbsent(claim.entry().id(), id -> start(claim));
    }

    private Span start(OutboxClaim claim) {
        OutboxEntry entry = claim.entry();
        return tracer.spanBuilder("outbox.process")
                .setParent(parent(entry))
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute(ID, entry.id())
                .setAttribute(KEY_HASH, hash(entry.idempotencyKey()))
                .setAttribute(GENERATION, (long) entry.generation())
                .setAttribute(ATTEMPT, (long) claim.attempt())
                .setAttribute(ADAPTER, adapter)
                .startSpan();
    }

    /** The trace of the request; a root if the entry has none, or one that is none. */
    private static Context parent(OutboxEntry entry) {
        return entry.traceparent()
                .map(parent -> W3CTraceContextPropagator.getInstance().extract(Context.root(), parent, TRACEPARENT))
                .orElse(Context.root());
    }

    /** As in the log. */
    private static String hash(String key) {
        String digest = OutboxMessage.digest(key);
        return digest.substring(digest.indexOf(':') + 1).substring(0, HASH_DIGITS);
    }

    /** Does a call within a span below that of the attempt. */
    @SuppressWarnings("try") // the scope is there to be left
    <R> R around(String name, OutboxEntry entry, Call<R> call) throws Exception {
        Span attempt = open.get(entry.id());
        Span span = tracer.spanBuilder(name)
                .setParent(attempt == null ? parent(entry) : Context.root().with(attempt))
                .setSpanKind(SpanKind.PRODUCER)
                .setAttribute(ID, entry.id())
                .setAttribute(ADAPTER, adapter)
                .startSpan();
        try (Scope scope = span.makeCurrent()) {
            return call.in(span);
        } catch (Throwable t) {
            span.setAttribute(ERROR_TYPE, t.getClass().getName());
            span.setStatus(StatusCode.ERROR);
            throw t;
        } finally {
            span.end();
        }
    }

    static void note(Span span, SendOutcome outcome) {
        switch (outcome) {
            case SendOutcome.Succeeded taken -> span.setAttribute(OUTCOME, "succeeded");
            case SendOutcome.Retryable retryable -> fail(span, "retryable", retryable.reason());
            case SendOutcome.Permanent permanent -> fail(span, "permanent", permanent.reason());
            case SendOutcome.Unknown unknown -> fail(span, "unknown", unknown.reason());
        }
    }

    static void note(Span span, QueryOutcome outcome) {
        switch (outcome) {
            case QueryOutcome.Taken taken -> span.setAttribute(OUTCOME, "taken");
            case QueryOutcome.NotThere absent -> span.setAttribute(OUTCOME, "not_there");
            case QueryOutcome.Refused refused -> fail(span, "refused", refused.reason());
            case QueryOutcome.StillUnknown unknown -> fail(span, "unknown", unknown.reason());
        }
    }

    private static void fail(Span span, String outcome, ReasonCode reason) {
        span.setAttribute(OUTCOME, outcome);
        span.setAttribute(REASON, reason.value());
        span.setStatus(StatusCode.ERROR);
    }

    void end(OutboxClaim claim, Settlement settlement) {
        Span span = open.remove(claim.entry().id());
        if (span == null) {
            return; // given back before it was tried
        }
        switch (settlement) {
            case Settlement.Succeeded done -> span.setAttribute(STATUS, "succeeded");
            case Settlement.Released back -> span.setAttribute(STATUS, "pending");
            case Settlement.Failed failed -> end(span, "failed", failed.reason());
            case Settlement.Parked parked -> end(span, "parked", parked.reason());
            case Settlement.Aborted aborted ->
                end(span, "aborted", aborted.result().reason().orElse(ReasonCode.INTERNAL_ERROR));
        }
        span.end();
    }

    private static void end(Span span, String status, ReasonCode reason) {
        span.setAttribute(STATUS, status);
        span.setAttribute(REASON, reason.value());
        span.setStatus(StatusCode.ERROR);
    }

    void lost(OutboxClaim claim) {
        Span span = open.remove(claim.entry().id());
        if (span != null) {
            span.setAttribute(STATUS, "lost");
            span.setStatus(StatusCode.ERROR);
            span.end();
        }
    }
}
