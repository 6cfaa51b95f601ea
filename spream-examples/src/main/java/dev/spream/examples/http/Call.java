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

/** A request, while it is answered. Confined to the thread that does so. */
public final class Call {
    public static final int MAX_BODY = 64 * 1024;

    private final HttpExchange exchange;

    Call(HttpExchange exchange) {
        this.exchange = exchange;
    }

    public boolean is(String method, String path) {
        return exchange.getRequestMethod().equals(method) && isAt(path);
    }

    /** Whatever the method is. */
    public boolean isAt(String path) {
        return path().equals(path);
    }

    /** Whether something follows the prefix in the path, whatever the method is. */
    public boolean isBelow(String prefix) {
        return path().startsWith(prefix) && path().length() > prefix.length();
    }

    /** What follows the prefix in the path, decoded, if the method is that and something follows. */
    public Optional<String> rest(String method, String prefix) {
        return exchange.getRequestMethod().equals(method) && isBelow(prefix)
                ? Optional.of(path().substring(prefix.length()))
                : Optional.empty();
    }

    public String method() {
        return exchange.getRequestMethod();
    }

    /** Decoded. */
    public String path() {
        return Optional.ofNullable(exchange.getRequestURI().getPath()).orElse("");
    }

    /** All values of a header, each as it is. */
    public List<String> headers(String name) {
        List<String> values = exchange.getRequestHeaders().get(name);
        return values == null ? List.of() : List.copyOf(values);
    }

    /**
     * What the query says, decoded.
     *
     * @throws IllegalArgumentException if it says something twice
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
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    /**
     * The body, to be read once.
     *
     * @throws IllegalArgumentException if it is too large, or no UTF-8
     */
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
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("the body is no UTF-8");
        }
    }
}
