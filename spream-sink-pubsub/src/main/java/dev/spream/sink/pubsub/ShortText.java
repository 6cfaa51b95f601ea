package dev.spream.sink.pubsub;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Text for places that have a limit: the text itself where it fits, and else {@code sha256/} and the SHA-256 of its UTF-8
 * bytes in lower-case hexadecimal digits. The same text gives the same, at any time and in any version.
 */
final class ShortText {
    /**
     * The bytes that an ordering key and the value of an attribute may have.
     *
     * @see <a href="https://cloud.google.com/pubsub/quotas#resource_limits">Pub/Sub: resource limits</a>
     */
    static final int MAX_BYTES = 1_024;

    private ShortText() {}

    static String of(String text) {
        if (text.length() <= MAX_BYTES / 3) { // a char has three bytes at most
            return text;
        }
        byte[] bytes = text.getBytes(UTF_8);
        return bytes.length <= MAX_BYTES ? text : "sha256/" + HexFormat.of().formatHex(sha256(bytes));
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
