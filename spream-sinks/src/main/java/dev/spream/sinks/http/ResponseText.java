package dev.spream.sinks.http;

import dev.spream.core.record.Json;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The text of a response that the ledger stores: JSON as it is, any other text as a JSON string. Responses that some
 * ledgers could not store are omitted, since otherwise a receiver's response could prevent its entry from being
 * settled.
 */
final class ResponseText {
    static final int MAX_BYTES = 1 << 16;

    /** PostgreSQL's {@code numeric}, the basis of JSONB numbers, has a far higher limit. */
    private static final int MAX_EXPONENT = 1_000;

    private ResponseText() {}

    /** Returns a JSON text; empty if nothing is stored, such as for a body that was too long. */
    static Optional<String> of(Optional<byte[]> body) {
        return body.flatMap(ResponseText::decoded)
                .filter(text -> !text.isBlank())
                .flatMap(ResponseText::json);
    }

    private static Optional<String> decoded(byte[] body) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> json(String text) {
        Object value;
        String json;
        try {
            value = Json.parse(text);
            json = text.strip();
        } catch (IllegalArgumentException e) {
            value = text;
            json = Json.text(text);
        }
        return isKeepable(value) ? Optional.of(json) : Optional.empty();
    }

    private static boolean isKeepable(@Nullable Object value) {
        return switch (value) {
            case null -> true;
            case String text -> isKeepable(text);
            case BigDecimal number ->
                Math.abs((long) number.precision() - number.scale()) <= MAX_EXPONENT
                        && number.precision() <= MAX_EXPONENT;
            case Collection<?> values -> values.stream().allMatch(ResponseText::isKeepable);
            case Map<?, ?> members -> isKeepable(members.keySet()) && isKeepable(members.values());
            default -> true;
        };
    }

    /** Returns whether JSONB can store it: it has neither NUL nor unpaired surrogates. */
    private static boolean isKeepable(String text) {
        return text.codePoints()
                .noneMatch(c -> c == 0 || (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE));
    }
}
