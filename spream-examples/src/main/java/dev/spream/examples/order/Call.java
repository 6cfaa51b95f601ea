package dev.spream.examples.order;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** A request, while it is answered. Confined to the thread that does so. */
final class Call {
    static final int MAX_BODY = 64 * 1024;

    private final HttpExchange exchange;

    Call(HttpExchange exchange) {
        this.exchange = exchange;
    }

    boolean is(String method, String path) {
        return exchange.getRequestMethod().equals(method) && isAt(path);
    }

    /** Whatever the method is. */
    boolean isAt(String path) {
        return path().equals(path);
    }

    /** Whether something follows the prefix in the path, whatever the method is. */
    boolean isBelow(String prefix) {
        return path().startsWith(prefix) && path().length() > prefix.length();
    }

    /** What follows the prefix in the path, decoded, if the method is that and something follows. */
    Optional<String> rest(String method, String prefix) {
        return exchange.getRequestMethod().equals(method) && isBelow(prefix)
                ? Optional.of(path().substring(prefix.length()))
                : Optional.empty();
    }

    private String path() {
        return Optional.ofNullable(exchange.getRequestURI().getPath()).orElse("");
    }

    /** All values of a header, each as it is. */
    List<String> headers(String name) {
        List<String> values = exchange.getRequestHeaders().get(name);
        return values == null ? List.of() : List.copyOf(values);
    }

    /**
     * The body, to be read once.
     *
     * @throws IllegalArgumentException if it is too large, or no UTF-8
     */
    String body() throws IOException {
        try (InputStream in = exchange.getRequestBody()) {
            byte[] bytes = in.readNBytes(MAX_BODY + 1);
            if (bytes.length > MAX_BODY) {
                throw new IllegalArgumentException("the body has more than %d bytes".formatted(MAX_BODY));
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
