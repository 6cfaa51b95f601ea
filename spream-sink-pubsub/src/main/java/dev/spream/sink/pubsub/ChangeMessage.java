package dev.spream.sink.pubsub;

import com.google.protobuf.CodedOutputStream;
import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PubsubMessage;

/**
 * A message of a change in a batch.
 *
 * @param change the index of the change
 * @param message the message to publish
 * @param bytes its share of the size of a request
 */
record ChangeMessage(int change, PubsubMessage message, int bytes) {

    static ChangeMessage of(int change, PubsubMessage message) {
        return new ChangeMessage(
                change, message, CodedOutputStream.computeMessageSize(PublishRequest.MESSAGES_FIELD_NUMBER, message));
    }
}
