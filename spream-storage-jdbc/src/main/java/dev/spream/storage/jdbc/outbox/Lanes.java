package dev.spream.storage.jdbc.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Which lane an ordering key is in: the first byte of the SHA-256 of its UTF-8, in every process and for ever. */
final class Lanes {
    private Lanes() {}

    static int of(String orderingKey) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(orderingKey.getBytes(UTF_8))[0] & 0xff;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
