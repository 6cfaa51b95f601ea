package dev.spream.sink.pubsub;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PubsubMessage;
import io.grpc.Status;
import java.util.Map;
import java.util.Optional;

/**
 * The limits of the real service.
 *
 * @see <a href="https://cloud.google.com/pubsub/quotas#resource_limits">Pub/Sub: resource limits</a>
 */
final class RequestLimits {
    private static final int MAX_REQUEST_BYTES = 10_000_000;
    private static final int MAX_MESSAGES = 1_000;
    private static final int MAX_TEXT_BYTES = 1_024;
    private static final int MAX_NAME_BYTES = 256;
    private static final int MAX_ATTRIBUTES = 100;

    private RequestLimits() {}

    static Optional<Status> problem(PublishRequest request) {
        boolean valid = request.getSerializedSize() <= MAX_REQUEST_BYTES
                && request.getMessagesCount() >= 1
                && request.getMessagesCount() <= MAX_MESSAGES
                && orderingKeys(request) == 1
                && request.getMessagesList().stream().allMatch(RequestLimits::isValid);
        return valid ? Optional.empty() : Optional.of(Status.INVALID_ARGUMENT.withDescription("a limit is exceeded"));
    }

    private static long orderingKeys(PublishRequest request) {
        return request.getMessagesList().stream()
                .map(PubsubMessage::getOrderingKey)
                .distinct()
                .count();
    }

    private static boolean isValid(PubsubMessage message) {
        return message.getOrderingKeyBytes().size() <= MAX_TEXT_BYTES
                && message.getAttributesCount() <= MAX_ATTRIBUTES
                && message.getAttributesMap().entrySet().stream().allMatch(RequestLimits::isValid);
    }

    private static boolean isValid(Map.Entry<String, String> attribute) {
        return bytes(attribute.getKey()) <= MAX_NAME_BYTES
                && !attribute.getKey().startsWith("goog")
                && bytes(attribute.getValue()) <= MAX_TEXT_BYTES;
    }

    private static int bytes(String text) {
        return text.getBytes(UTF_8).length;
    }
}
