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

/** A request and its exchange. Confined to the thread that handles it. */
public final class Call {
    public static final int MAX_BODY = 64 * 1024;

    /** The header with the correlation id of a request. */
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

    /** Returns whether the request has this path, with any method. */
    public boolean isAt(String path) {
        return path().equals(path);
    }

    /** Returns whether the path continues after the prefix, with any method. */
    public boolean isBelow(String prefix) {
        return path().startsWith(prefix) && path().length() > prefix.length();
    }

    /** Returns the rest of the path after the prefix, decoded; empty for another method or if nothing follows the prefix. */
    public Optional<String> rest(String method, String prefix) {
        return method().equals(method) && isBelow(prefix)
                ? Optional.of(path().substring(prefix.length()))
                : Optional.empty();
    }

    /** Returns the method, GET for HEAD as well, whose response is the same without the body. */
    public String method() {
        String method = exchange.getRequestMethod();
        return method.equals(HEAD) ? "GET" : method;
    }

    /**
     * Returns the path, decoded.
     *
     * @throws IllegalArgumentException if it contains the character U+0000, which databases do not store
     */
    public String path() {
        return storable(
                "the path",
                Optional.ofNullable(exchange.getRequestURI().getPath()).orElse(""));
    }

    /** Returns the path as sent, with every control character encoded, for log lines. */
    public String rawPath() {
        return Optional.ofNullable(exchange.getRequestURI().getRawPath()).orElse("");
    }

    /**
     * Returns all values of a header, read as UTF-8.
     *
     * @throws IllegalArgumentException if one is not valid UTF-8
     */
    public List<String> headers(String name) {
        return exchange.getRequestHeaders().getOrDefault(name, List.of()).stream()
                .map(value -> utf8("the header " + name, value))
                .toList();
    }

    /**
     * Returns the correlation id of the request: the caller's, or else a new one, the same at each call.
     *
     * @throws IllegalArgumentException if the caller sends several, or one that is not 1 to 64 letters, digits, dots,
     * colons, hyphens and underscores
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

    /** @param value with a character for each byte, as read by the server */
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
            throw new IllegalArgumentException(what + " is not valid UTF-8");
        }
    }

    private static String storable(String what, String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(what + " contains the character U+0000");
        }
        return text;
    }

    /**
     * Returns the parameters of the query, decoded.
     *
     * @throws IllegalArgumentException if one occurs twice, or contains the character U+0000
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
                throw new IllegalArgumentException("the query has the parameter '%s' twice".formatted(name));
            }
        }
        return parameters;
    }

    private static String decoded(String text) {
        return storable("the query", URLDecoder.decode(text, StandardCharsets.UTF_8));
    }

    /** Returns the body, of {@link #MAX_BODY} bytes at the most; it can be read once. */
    public String body() throws IOException {
        return body(MAX_BODY);
    }

    /**
     * Returns the body, which can be read once.
     *
     * @param max the maximum number of bytes
     * @throws IllegalArgumentException if it is too large, or not valid UTF-8
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
