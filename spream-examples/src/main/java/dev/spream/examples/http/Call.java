package dev.spream.examples.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** A request, while it is answered. Confined to the thread that does so. */
public final class Call {
    public static final int MAX_BODY = 64 * 1024;

    /** The header that names what a request belongs to. */
    public static final String CORRELATION_ID = "X-Correlation-Id";

    static final String HEAD = "HEAD";

    private static final Pattern CORRELATION = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

    private final HttpExchange exchange;
    private Optional<String> correlationId = Optional.empty();

    Call(HttpExchange exchange) {
        this.exchange = exchange;
    }

    public boolean is(String method, String path) {
        return method().equals(method) && isAt(path);
    }

    /** Whatever the method is. */
    public boolean isAt(String path) {
        return path().equals(path);
    }

    /** Returns whether something follows the prefix in the path, whatever the method is. */
    public boolean isBelow(String prefix) {
        return path().startsWith(prefix) && path().length() > prefix.length();
    }

    /** What follows the prefix in the path, decoded, if the method is that and something follows. */
    public Optional<String> rest(String method, String prefix) {
        return method().equals(method) && isBelow(prefix)
                ? Optional.of(path().substring(prefix.length()))
                : Optional.empty();
    }

    /** GET for HEAD as well, which is answered the same, without the body. */
    public String method() {
        String method = exchange.getRequestMethod();
        return method.equals(HEAD) ? "GET" : method;
    }

    /**
     * Decoded.
     *
     * @throws IllegalArgumentException if it has the character U+0000, which databases do not hold
     */
    public String path() {
        return storable(
                "the path",
                Optional.ofNullable(exchange.getRequestURI().getPath()).orElse(""));
    }

    /** As it was sent, in which every control character is encoded: to be shown in a log. */
    public String rawPath() {
        return Optional.ofNullable(exchange.getRequestURI().getRawPath()).orElse("");
    }

    /**
     * All values of a header, read as UTF-8.
     *
     * @throws IllegalArgumentException if one is none
     */
    public List<String> headers(String name) {
        return exchange.getRequestHeaders().getOrDefault(name, List.of()).stream()
                .map(value -> utf8("the header " + name, value))
                .toList();
    }

    /**
     * What the request belongs to: the id that the caller gives, or else a new one, the same each time.
     *
     * @throws IllegalArgumentException if the caller gives several, or one that is not 1 to 64 letters, digits, dots,
     *     colons, hyphens and underscores
     */
    public String correlationId() {
        if (correlationId.isEmpty()) {
            correlationId = Optional.of(readCorrelationId());
        }
        return correlationId.get();
    }

    private String readCorrelationId() {
        List<String> ids = headers(CORRELATION_ID);
        if (ids.isEmpty()) {
            return UUID.randomUUID().toString();
        }
        if (ids.size() > 1 || !CORRELATION.matcher(ids.getFirst()).matches()) {
            throw new IllegalArgumentException(
                    "the header %s may be there once, with 1 to 64 letters, digits, dots, colons, hyphens and underscores"
                            .formatted(CORRELATION_ID));
        }
        return ids.getFirst();
    }

    /** @param value with a character for each byte, as the server has read it */
    private static String utf8(String what, String value) {
        return utf8(what, value.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String utf8(String what, byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(what + " is no UTF-8");
        }
    }

    private static String storable(String what, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " has the character U+0000");
        }
        return text;
    }

    /**
     * What the query says, decoded.
     *
     * @throws IllegalArgumentException if it says something twice, or has the character U+0000
     */
    public Map<String, String> query() {
        Map<String, String> parameters = new LinkedHashMap<>();
        String query =
                Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
        for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            String name = decoded(equals < 0 ? pair : pair.substring(0, equals));
            String value = equals < 0 ? "" : decoded(pair.substring(equals + 1));
            if (parameters.put(name, value) != null) {
                throw new IllegalArgumentException("the query says '%s' twice".formatted(name));
            }
        }
        return parameters;
    }

    private static String decoded(String text) {
        return storable("the query", URLDecoder.decode(text, StandardCharsets.UTF_8));
    }

    /** The same, of {@link #MAX_BODY} bytes at the most. */
    public String body() throws IOException {
        return body(MAX_BODY);
    }

    /**
     * The body, to be read once.
     *
     * @param max how many bytes it may have
     * @throws IllegalArgumentException if it is too large, or no UTF-8
     */
    public String body(int max) throws IOException {
        try (InputStream in = exchange.getRequestBody()) {
            byte[] bytes = in.readNBytes(max + 1);
            if (bytes.length > max) {
                throw new IllegalArgumentException("the body has more than %d bytes".formatted(max));
            }
            return utf8("the body", bytes);
        }
    }
}
