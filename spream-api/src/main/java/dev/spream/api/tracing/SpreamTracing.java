package dev.spream.api.tracing;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.BatchConsumer;
import dev.spream.core.consume.Consumer;
import io.opentelemetry.api.OpenTelemetry;

/**
 * Makes a span of kind CONSUMER of every call that hands changes to a consumer; it is current during the call, so that what
 * the consumer does becomes its children. Names and attributes follow the semantic conventions for messaging where these
 * have something to say. No attribute holds a key or a value of a change, but what a consumer throws is recorded with its
 * message.
 *
 * <pre>{@code
 * Consumer traced = SpreamTracing.of(openTelemetry, "OrdersStream").around(consumer);
 * }</pre>
 *
 * <p>Immutable and safe for use by many threads.
 *
 * @see <a href="https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/">OpenTelemetry: messaging spans</a>
 */
public final class SpreamTracing {
    private final Spans spans;

    private SpreamTracing(Spans spans) {
        this.spans = spans;
    }

    /**
     * Tracing by that instance.
     *
     * @param destination what the spans name as the place that changes come from: the stream, or the subscription
     */
    public static SpreamTracing of(OpenTelemetry telemetry, String destination) {
        return new SpreamTracing(
                new Spans(requireNonNull(telemetry, "telemetry"), requireNonNull(destination, "destination")));
    }

    /**
     * The consumer with a span around each of its calls. One that takes batches still does, and makes one span of each.
     * Flushing has no span; closing closes the consumer, if it is {@link AutoCloseable}.
     */
    public Consumer around(Consumer consumer) {
        requireNonNull(consumer, "consumer");
        return consumer instanceof BatchConsumer batches
                ? new TracedBatches(spans, batches)
                : new TracedChanges(spans, consumer);
    }
}
