package dev.spream.core;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of texts, by their UTF-8: the same in every process, version and language. Safe for use by many threads. */
public final class Sha256 {
    private Sha256() {}

    /** Returns a new digest. */
    public static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java runtime has no SHA-256, which every Java platform must have", e);
        }
    }

    /** Returns the 32 bytes of the hash. */
    public static byte[] of(String text) {
        return digest().digest(text.getBytes(UTF_8));
    }

    /** Returns the hash as 64 hexadecimal digits, in lower case. */
    public static String hex(String text) {
        return HexFormat.of().formatHex(of(text));
    }
}
