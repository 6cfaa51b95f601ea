package dev.spream.sink.pubsub;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Timestamp;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventJson;
import dev.spream.projection.event.FeedItem;
import java.nio.charset.CharacterCodingException;
import java.time.Instant;
import java.util.function.LongFunction;

/** Converts messages into events. Safe for use by many threads. */
final class EventMessages {
    private EventMessages() {}

    /** Returns the item of a message, by its delivery id. */
    static LongFunction<FeedItem> item(PubsubMessage message) {
        try {
            String text = UTF_8.newDecoder()
                    .decode(message.getData().asReadOnlyByteBuffer())
                    .toString();
            EventEnvelope event = EventJson.read(text);
            return id -> new FeedItem.Event(id, 0, event);
        } catch (CharacterCodingException e) {
            return undecodable(message, "its data are not UTF-8");
        } catch (IllegalArgumentException e) {
            return undecodable(message, String.valueOf(e.getMessage()));
        }
    }

    private static LongFunction<FeedItem> undecodable(PubsubMessage message, String reason) {
        Timestamp time = message.getPublishTime();
        Instant published = Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
        return id -> new FeedItem.Undecodable(
                id,
                message.getMessageId(),
                message.getData().asReadOnlyByteBuffer(),
                message.getAttributesMap(),
                reason,
                published);
    }
}
