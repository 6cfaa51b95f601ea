package dev.spream.storage.jdbc.outbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names the channel of PostgreSQL on which an outbox signals: an identifier, however long those of the tables are. */
final class OutboxChannel {
    private static final int HASH_BYTES = 8;

    private OutboxChannel() {}

    static String of(OutboxTables tables) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256")
                    .digest(tables.toString().getBytes(UTF_8));
            return "spream_outbox_" + HexFormat.of().formatHex(hash, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }
}
