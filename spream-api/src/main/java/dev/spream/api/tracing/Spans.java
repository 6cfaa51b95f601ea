package dev.spream.api.tracing;

import dev.spream.core.LoggedFailure;
import dev.spream.core.consume.BatchConsumer.Batch;
import dev.spream.core.consume.Delivery;
import dev.spream.core.consume.Transaction;
import dev.spream.core.record.DataChangeRecord;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;

/** Creates the spans. Immutable and safe for use by many threads. */
record Spans(Tracer tracer, String destination) {
    private static final String INSTRUMENTATION = "dev.spream";
    private static final String PROCESS = "process";

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> DESTINATION = AttributeKey.stringKey("messaging.destination.name");
    private static final AttributeKey<String> PARTITION = AttributeKey.stringKey("messaging.destination.partition.id");
    private static final AttributeKey<String> MESSAGE = AttributeKey.stringKey("messaging.message.id");
    private static final AttributeKey<Long> BATCH_SIZE = AttributeKey.longKey("messaging.batch.message_count");
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
    private static final AttributeKey<String> EXCEPTION_TYPE = AttributeKey.stringKey("exception.type");
    private static final AttributeKey<String> EXCEPTION_MESSAGE = AttributeKey.stringKey("exception.message");
    private static final AttributeKey<String> TABLE = AttributeKey.stringKey("spream.table");
    private static final AttributeKey<String> MOD_TYPE = AttributeKey.stringKey("spream.mod_type");
    private static final AttributeKey<Long> MODS = AttributeKey.longKey("spream.mods");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("spream.attempt");
    private static final AttributeKey<Long> EPOCH = AttributeKey.longKey("spream.epoch");
    private static final AttributeKey<Boolean> REPLAY = AttributeKey.booleanKey("spream.replay");

    static Spans of(OpenTelemetry telemetry, String destination) {
        return new Spans(telemetry.getTracer(INSTRUMENTATION), destination);
    }

    @FunctionalInterface
    interface Call {
        void run(Span span) throws Exception;
    }

    void around(DataChangeRecord change, Delivery delivery, Call call) throws Exception {
        SpanBuilder builder = builder(delivery)
                .setAttribute(MESSAGE, change.identity().toString())
                .setAttribute(TABLE, change.tableName())
                .setAttribute(MOD_TYPE, change.modTypeName())
                .setAttribute(MODS, (long) change.mods().size())
                .setAttribute(ATTEMPT, (long) delivery.attempt());
        run(builder, call);
    }

    /** All changes of a batch are from one partition. */
    void around(Batch batch, Call call) throws Exception {
        SpanBuilder builder = builder(batch.delivery(0))
                .setAttribute(BATCH_SIZE, (long) batch.changes().size());
        run(builder, call);
    }

    /** The partition is that of the first change. */
    void around(Transaction transaction, Call call) throws Exception {
        SpanBuilder builder = builder(transaction.delivery(0))
                .setAttribute(MESSAGE, transaction.serverTransactionId())
                .setAttribute(BATCH_SIZE, (long) transaction.changes().size())
                .setAttribute(ATTEMPT, (long) transaction.delivery(0).attempt());
        run(builder, call);
    }

    private SpanBuilder builder(Delivery delivery) {
        return tracer.spanBuilder(PROCESS + " " + destination)
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute(SYSTEM, "spanner_change_stream")
                .setAttribute(OPERATION, PROCESS)
                .setAttribute(OPERATION_TYPE, PROCESS)
                .setAttribute(DESTINATION, destination)
                .setAttribute(PARTITION, delivery.partition().abbreviated())
                .setAttribute(EPOCH, delivery.epoch())
                .setAttribute(REPLAY, delivery.isReplay());
    }

    @SuppressWarnings("try") // the scope only has to be closed
    private static void run(SpanBuilder builder, Call call) throws Exception {
        Span span = builder.startSpan();
        try (Scope scope = span.makeCurrent()) {
            call.run(span);
        } catch (Throwable t) {
            fail(span, t);
            throw t;
        } finally {
            span.end();
        }
    }

    /** Records a failure of the consumer on a span. */
    static void fail(Span span, Throwable cause) {
        String type = cause.getClass().getName();
        span.recordException(
                LoggedFailure.of(cause),
                Attributes.of(EXCEPTION_TYPE, type, EXCEPTION_MESSAGE, LoggedFailure.message(cause)));
        span.setAttribute(ERROR_TYPE, type);
        span.setStatus(StatusCode.ERROR);
    }
}
