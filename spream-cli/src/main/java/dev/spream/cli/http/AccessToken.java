package dev.spream.cli.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The token for commands. Comparing takes the same time whatever is presented, and wrong tokens are answered late and
 * one after the other. Safe for use by many threads.
 */
final class AccessToken {
    private static final String SCHEME = "bearer ";
    private static final long DELAY_MILLIS = 300;

    private final byte[] digest;
    private final ReentrantLock wrongOnes = new ReentrantLock(true);

    AccessToken(String token) {
        this.digest = sha256(token);
    }

    /** @param header the header {@code Authorization} of a request; null if it has none */
    boolean isIn(@Nullable String header) {
        String given = header == null ? "" : header;
        boolean bearer = given.toLowerCase(Locale.ROOT).startsWith(SCHEME);
        String presented = bearer ? given.substring(SCHEME.length()).strip() : "";
        return MessageDigest.isEqual(sha256(presented), digest) && bearer;
    }

    /** Waits before the answer to a wrong token; several wait one after the other. */
    void delay() throws InterruptedException {
        wrongOnes.lockInterruptibly();
        try {
            TimeUnit.MILLISECONDS.sleep(DELAY_MILLIS);
        } finally {
            wrongOnes.unlock();
        }
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new LinkageError("every Java has SHA-256", e);
        }
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "AccessToken";
    }
}
