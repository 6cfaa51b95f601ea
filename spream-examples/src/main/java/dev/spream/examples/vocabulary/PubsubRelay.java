package dev.spream.examples.vocabulary;

import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxMessage;
import dev.spream.projection.Projection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventJson;
import java.sql.Connection;

/**
 * Enqueues every event of the store in an outbox, from where it is published to Pub/Sub with its entry as the ordering
 * key. The outbox is filled in the transaction that moves the cursor: no event is missing or duplicated in it.
 */
record PubsubRelay(Outbox<Connection> outbox) implements Projection<Connection> {
    static final String NAME = "vocabulary_pubsub_relay";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void apply(Connection transaction, EventEnvelope event) {
        outbox.enqueue(
                transaction,
                OutboxMessage.builder(event.eventId(), EventJson.write(event))
                        .orderingKey(event.aggregateId())
                        .build());
    }
}
