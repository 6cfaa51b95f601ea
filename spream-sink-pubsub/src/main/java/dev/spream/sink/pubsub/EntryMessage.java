package dev.spream.sink.pubsub;

import com.google.protobuf.ByteString;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.outbox.OutboxEntry;

/** An entry of an outbox as a message, as {@link PubsubSenderProvider} documents it. One that comes again gives the same. */
final class EntryMessage {
    private EntryMessage() {}

    /** @param ordered whether the entry's ordering key is the message's */
    static PubsubMessage of(OutboxEntry entry, boolean ordered) {
        PubsubMessage.Builder message = PubsubMessage.newBuilder()
                .setData(ByteString.copyFromUtf8(entry.payload()))
                .putAttributes("idempotency-key", ShortText.of(entry.idempotencyKey()))
                .putAttributes("generation", Integer.toString(entry.generation()))
                .putAttributes("created-at", entry.createdAt().toString());
        entry.traceparent().ifPresent(traceparent -> message.putAttributes("traceparent", ShortText.of(traceparent)));
        if (ordered) {
            entry.orderingKey().ifPresent(key -> message.setOrderingKey(ShortText.of(key)));
        }
        return message.build();
    }
}
