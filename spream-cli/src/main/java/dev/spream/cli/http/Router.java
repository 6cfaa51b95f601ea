package dev.spream.cli.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import dev.spream.core.LoggedFailure;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Validates requests and dispatches them to the endpoint of their path. Safe for use by many threads.
 *
 * @param endpoints by path
 * @param commands empty if there are none
 */
record Router(HostCheck hosts, Map<String, Endpoint> endpoints, Optional<CommandRouter> commands)
        implements HttpHandler {
    private static final Logger log = LoggerFactory.getLogger(Router.class);
    private static final long NO_BODY = -1;

    Router {
        endpoints = Map.copyOf(endpoints);
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            send(exchange, answer(exchange));
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        if (!hosts.allows(exchange.getRequestHeaders().getFirst("Host"))) {
            return Answer.text(Answer.MISDIRECTED, "only requests to localhost are served here");
        }
        String path = Optional.ofNullable(exchange.getRequestURI().getPath()).orElse("");
        if (commands.filter(known -> known.has(path)).isPresent()) {
            return command(exchange, path);
        }
        Endpoint endpoint = endpoints.get(path);
        if (endpoint == null) {
            return Answer.text(Answer.NOT_FOUND, "not found; try /");
        }
        if (!isRead(exchange)) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            return Answer.text(
                    Answer.METHOD_NOT_ALLOWED, commands.isPresent() ? "read it with GET" : "this server is read-only");
        }
        try {
            return endpoint.answer(new Query(exchange.getRequestURI()));
        } catch (InterruptedException e) {
            return shuttingDown();
        } catch (Exception e) {
            log.warn("request {} failed; later requests are not affected", path, LoggedFailure.of(e));
            return Answer.text(Answer.FAILED, "internal error; the log has the details");
        }
    }

    private Answer command(HttpExchange exchange, String path) throws IOException {
        try {
            return commands.orElseThrow().answer(exchange, path);
        } catch (InterruptedException e) {
            return shuttingDown();
        }
    }

    private static Answer shuttingDown() {
        Thread.currentThread().interrupt();
        return Answer.text(Answer.UNAVAILABLE, "the process is shutting down");
    }

    private static boolean isRead(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("GET") || isHead(exchange);
    }

    private static boolean isHead(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("HEAD");
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", answer.contentType());
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Content-Security-Policy", "default-src 'self'; frame-ancestors 'none'; base-uri 'none'");
        headers.set("Referrer-Policy", "no-referrer");
        if (isHead(exchange)) {
            headers.set("Content-Length", Integer.toString(answer.body().length));
            exchange.sendResponseHeaders(answer.status(), NO_BODY);
            return;
        }
        exchange.sendResponseHeaders(answer.status(), answer.body().length);
        exchange.getResponseBody().write(answer.body());
    }
}
