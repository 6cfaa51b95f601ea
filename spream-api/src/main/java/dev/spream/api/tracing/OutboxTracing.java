package dev.spream.api.tracing;

import static java.util.Objects.requireNonNull;

import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import dev.spream.outbox.worker.OutboxListener;
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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Creates a span {@code outbox.process} for every attempt of an entry, from the send until the outcome is settled, and
 * a child span {@code broker.send} for each call of the sender, current during the call. The former belongs to the
 * trace of the request that enqueued the entry, if the entry stores it. Spans contain the id of the entry and the hash
 * of its key, like the log; no attribute contains a payload, a key or a response.
 *
 * <pre>{@code
 * OutboxTracing tracing = OutboxTracing.of(openTelemetry, "http");
 * OutboxWorker.builder(store, tracing.around(sender))
 *         .options(OutboxWorkerOptions.builder().listener(tracing).build())
 * }</pre>
 *
 * <p>One instance serves one worker. Safe for use by many threads.
 */
public final class OutboxTracing implements OutboxListener {
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
    private final Map<Long, Span> open = new ConcurrentHashMap<>(); // by entry id

    private OutboxTracing(Tracer tracer, String adapter) {
        this.tracer = tracer;
        this.adapter = adapter;
    }

    /**
     * Creates the tracing with an OpenTelemetry instance.
     *
     * @param adapter the name of the sender in the spans, such as {@code http}
     */
    public static OutboxTracing of(OpenTelemetry telemetry, String adapter) {
        return new OutboxTracing(
                requireNonNull(telemetry, "telemetry").getTracer(INSTRUMENTATION), requireNonNull(adapter, "adapter"));
    }

    /** Returns the sender with a span around each call. Closing it closes the given sender, if that is closeable. */
    public OutboxSender around(OutboxSender sender) {
        return new TracedSender(this, requireNonNull(sender, "sender"));
    }

    /** Starts the span of an attempt, unless the preceding query has. */
    @Override
    public void sending(OutboxClaim claim) {
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

    /** Returns the trace of the request; a root context if the entry has no valid one. */
    private static Context parent(OutboxEntry entry) {
        return entry.traceparent()
                .map(parent -> W3CTraceContextPropagator.getInstance().extract(Context.root(), parent, TRACEPARENT))
                .orElse(Context.root());
    }

    /** Returns the hash of the key as in the log. */
    private static String hash(String key) {
        String digest = OutboxMessage.digest(key);
        return digest.substring(digest.indexOf(':') + 1).substring(0, HASH_DIGITS);
    }

    /** Runs a call within a child span of the attempt. */
    @SuppressWarnings("try") // the scope only has to be closed
    private <R> R within(String name, OutboxEntry entry, Call<R> call) throws Exception {
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

    private static void note(Span span, SendOutcome outcome) {
        switch (outcome) {
            case SendOutcome.Succeeded taken -> span.setAttribute(OUTCOME, "succeeded");
            case SendOutcome.Retryable retryable -> fail(span, OUTCOME, "retryable", retryable.reason());
            case SendOutcome.Permanent permanent -> fail(span, OUTCOME, "permanent", permanent.reason());
            case SendOutcome.Unknown unknown -> fail(span, OUTCOME, "unknown", unknown.reason());
        }
    }

    private static void note(Span span, QueryOutcome outcome) {
        switch (outcome) {
            case QueryOutcome.Taken taken -> span.setAttribute(OUTCOME, "taken");
            case QueryOutcome.NotThere absent -> span.setAttribute(OUTCOME, "not_there");
            case QueryOutcome.Refused refused -> fail(span, OUTCOME, "refused", refused.reason());
            case QueryOutcome.StillUnknown unknown -> fail(span, OUTCOME, "unknown", unknown.reason());
        }
    }

    private static void fail(Span span, AttributeKey<String> key, String value, ReasonCode reason) {
        span.setAttribute(key, value);
        span.setAttribute(REASON, reason.value());
        span.setStatus(StatusCode.ERROR);
    }

    @Override
    public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
        Span span = open.remove(claim.entry().id());
        if (span == null) {
            return; // released before it was attempted
        }
        switch (settlement) {
            case Settlement.Succeeded done -> span.setAttribute(STATUS, "succeeded");
            case Settlement.Released back -> span.setAttribute(STATUS, "pending");
            case Settlement.Failed failed -> fail(span, STATUS, "failed", failed.reason());
            case Settlement.Parked parked -> fail(span, STATUS, "parked", parked.reason());
            case Settlement.Aborted aborted ->
                fail(span, STATUS, "aborted", aborted.result().reason().orElse(ReasonCode.INTERNAL_ERROR));
        }
        span.end();
    }

    @Override
    public void leaseLost(OutboxClaim claim) {
        Span span = open.remove(claim.entry().id());
        if (span != null) {
            span.setAttribute(STATUS, "lost");
            span.setStatus(StatusCode.ERROR);
            span.end();
        }
    }

    @FunctionalInterface
    private interface Call<R> {
        R in(Span span) throws Exception;
    }

    @SuppressWarnings("try") // the wrapped sender decides which exceptions close throws
    private record TracedSender(OutboxTracing tracing, OutboxSender sender) implements OutboxSender, AutoCloseable {
        @Override
        public Guarantee guarantee() {
            return sender.guarantee();
        }

        @Override
        public String name() {
            return sender.name();
        }

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
            return tracing.within("broker.send", entry, span -> {
                SendOutcome outcome = sender.send(entry, timeout);
                note(span, outcome);
                return outcome;
            });
        }

        @Override
        public QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
            return tracing.within("broker.query", entry, span -> {
                QueryOutcome outcome = sender.query(entry, timeout);
                note(span, outcome);
                return outcome;
            });
        }

        @Override
        public void close() throws Exception {
            if (sender instanceof AutoCloseable closeable) {
                closeable.close();
            }
        }

        @Override
        public String toString() {
            return sender.toString();
        }
    }
}
