package dev.spream.api.tracing;

import static java.util.Objects.requireNonNull;

import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import dev.spream.outbox.worker.OutboxListener;
import io.opentelemetry.api.OpenTelemetry;
import java.time.Duration;

/**
 * Makes a span {@code outbox.process} of every attempt of an entry, from when it is sent until its outcome is settled, and
 * below it a span {@code broker.send} of each call of the sender, which is current during the call. The first belongs to the
 * trace of the request that enqueued the entry, if the entry has kept it. Spans name the entry by its id and by the hash of
 * its key, as the log does; no attribute holds a payload, a key or an answer.
 *
 * <pre>{@code
 * OutboxTracing tracing = OutboxTracing.of(openTelemetry, "http");
 * OutboxWorker.builder(store, tracing.around(sender))
 *         .options(OutboxWorkerOptions.builder().listener(tracing).build())
 * }</pre>
 *
 * <p>One is for one worker. Safe for use by many threads.
 */
public final class OutboxTracing implements OutboxListener {
    private final OutboxSpans spans;

    private OutboxTracing(OutboxSpans spans) {
        this.spans = spans;
    }

    /**
     * Tracing by that instance.
     *
     * @param adapter what the spans name as the way in which entries are sent, such as {@code http}
     */
    public static OutboxTracing of(OpenTelemetry telemetry, String adapter) {
        return new OutboxTracing(
                new OutboxSpans(requireNonNull(telemetry, "telemetry"), requireNonNull(adapter, "adapter")));
    }

    /** The sender with a span around each of its calls. Closing what is returned closes the sender, if it can be closed. */
    public OutboxSender around(OutboxSender sender) {
        return new TracedSender(spans, requireNonNull(sender, "sender"));
    }

    @Override
    public void sending(OutboxClaim claim) {
        spans.begin(claim);
    }

    @Override
    public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
        spans.end(claim, settlement);
    }

    @Override
    public void leaseLost(OutboxClaim claim) {
        spans.lost(claim);
    }

    /** Spans around a sender. As safe for use by many threads as that. */
    @SuppressWarnings("try") // what closing throws is up to the sender behind it
    private record TracedSender(OutboxSpans spans, OutboxSender sender) implements OutboxSender, AutoCloseable {
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
            return spans.around("broker.send", entry, span -> {
                SendOutcome outcome = sender.send(entry, timeout);
                OutboxSpans.note(span, outcome);
                return outcome;
            });
        }

        @Override
        public QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
            return spans.around("broker.query", entry, span -> {
                QueryOutcome outcome = sender.query(entry, timeout);
                OutboxSpans.note(span, outcome);
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
