package dev.spream.sink.pubsub;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.Sha256;

/**
 * Shortens text for places with a limit: returns the text itself if it fits, otherwise {@code sha256/} and the SHA-256
 * of its UTF-8 bytes in lower-case hexadecimal digits. The result for a text is the same at any time and in any
 * version.
 */
final class ShortText {
    /**
     * The maximum size of an ordering key and of an attribute's value, in bytes.
     *
     * @see <a href="https://cloud.google.com/pubsub/quotas#resource_limits">Pub/Sub: resource limits</a>
     */
    static final int MAX_BYTES = 1_024;

    private ShortText() {}

    static String of(String text) {
        if (text.length() <= MAX_BYTES / 3) { // a char has three bytes at most
            return text;
        }
        return text.getBytes(UTF_8).length <= MAX_BYTES ? text : "sha256/" + Sha256.hex(text);
    }
}
