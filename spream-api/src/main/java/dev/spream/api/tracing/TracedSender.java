package dev.spream.api.tracing;

import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.SendOutcome;
import java.time.Duration;

/** Spans around a sender. As safe for use by many threads as that. */
@SuppressWarnings("try") // what closing throws is up to the sender behind it
record TracedSender(OutboxSpans spans, OutboxSender sender) implements OutboxSender, AutoCloseable {
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
