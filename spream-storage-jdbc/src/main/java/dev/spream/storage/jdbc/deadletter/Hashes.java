package dev.spream.storage.jdbc.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.core.Sha256;
import java.security.MessageDigest;
import java.util.HexFormat;

/** SHA-256 of texts, as hexadecimal digits. */
final class Hashes {
    private Hashes() {}

    static String of(String... parts) {
        MessageDigest digest = Sha256.digest();
        for (String part : parts) {
            digest.update(part.getBytes(UTF_8));
            digest.update((byte) 0);
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Returns the first 32 bits. */
    static int number(String hash) {
        return HexFormat.fromHexDigits(hash, 0, 8);
    }
}
