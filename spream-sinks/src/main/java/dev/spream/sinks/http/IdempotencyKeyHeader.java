package dev.spream.sinks.http;

import dev.spream.core.Sha256;
import dev.spream.outbox.OutboxEntry;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Set;
import java.util.function.IntPredicate;

/**
 * The key by which a receiver recognises an entry. Entries that differ in key or generation never have the same header:
 * characters that a header cannot contain, and the mark of a generation, are percent-encoded.
 */
final class IdempotencyKeyHeader {
    private static final char GENERATION = '~';
    /** Path segments that refer to other folders. */
    private static final Set<String> FOLDERS = Set.of(".", "..");

    /** Servers accept at least 8 KiB of headers; a primary key alone may have 8 KiB. */
    private static final int MAX_TEXT = 1_000;

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private IdempotencyKeyHeader() {}

    static String of(OutboxEntry entry) {
        String key = entry.idempotencyKey();
        String sent = FOLDERS.contains(key) ? encoded(key, c -> false) : encoded(key);
        return entry.generation() == 1 ? sent : sent + GENERATION + entry.generation();
    }

    /** Returns another text as a header: equal for equal texts, and short enough for every server. */
    static String ofText(String text) {
        String sent = encoded(text);
        return sent.length() <= MAX_TEXT ? sent : "sha256:" + Sha256.hex(text);
    }

    private static String encoded(String text) {
        return encoded(text, IdempotencyKeyHeader::isPlain);
    }

    private static boolean isPlain(int c) {
        return c > ' ' && c < 0x7f && c != '%' && c != GENERATION;
    }

    /** Returns the header's value as a part of a path or a query. */
    static String inUrl(OutboxEntry entry) {
        return encoded(of(entry), IdempotencyKeyHeader::isUnreserved);
    }

    /**
     * Returns whether the character needs no encoding, wherever it is.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc3986#section-2.3">RFC 3986: unreserved characters</a>
     */
    private static boolean isUnreserved(int c) {
        return (c < 0x80 && Character.isLetterOrDigit(c)) || "-._~".indexOf(c) >= 0;
    }

    private static String encoded(String text, IntPredicate plain) {
        StringBuilder encoded = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            if (plain.test(b)) {
                encoded.append((char) b);
            } else {
                encoded.append('%').append(HEX.toHexDigits(b));
            }
        }
        return encoded.toString();
    }
}
