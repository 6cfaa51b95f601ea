package dev.spream.browser;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.json.Json;

/** Serves the page's files under the content policy of the real server, with answers that a test makes up. */
final class PageServer implements AutoCloseable {
    private static final Path PAGE =
            Path.of(System.getProperty("command.line", "../spream-cli/target"), "classes/dev/spream/cli/http/page");
    private static final String POLICY = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'";
    private static final Map<String, String> TYPES =
            Map.of("html", "text/html", "js", "text/javascript", "css", "text/css", "svg", "image/svg+xml");

    private static final String PLAIN_PAGE =
            "{\"kind\":\"subscription\",\"name\":\"orders\",\"subscription\":true,\"chosen\":\"orders\",\"commands\":false,\"panels\":[]}";
    private static final String NO_LAG = "{\"step_seconds\":5,\"times\":[],\"partitions\":[],\"others\":0}";

    private final int port;
    private final Map<String, String> others = new ConcurrentHashMap<>();
    private final Set<String> removed = ConcurrentHashMap.newKeySet();
    private final List<Command> commands = new CopyOnWriteArrayList<>();
    private volatile Map<String, @Nullable Object> answer;
    private HttpServer server;

    private PageServer(HttpServer server, Map<String, @Nullable Object> answer) {
        this.server = server;
        this.port = server.getAddress().getPort();
        this.answer = answer;
    }

    static PageServer start(Map<String, @Nullable Object> answer) throws IOException {
        PageServer started = new PageServer(listen(0), answer);
        started.serve();
        return started;
    }

    private static HttpServer listen(int port) throws IOException {
        return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    }

    private void serve() {
        server.createContext("/", this::handle);
        server.start();
    }

    URI page() {
        return URI.create("http://127.0.0.1:%d/".formatted(port));
    }

    /** From now on this is what is answered. */
    void answer(Map<String, @Nullable Object> next) {
        answer = next;
    }

    /** From now on this is what is answered at another path. */
    void answer(String path, String json) {
        others.put(path, json);
    }

    /** From now on nothing is found at that path. */
    void remove(String path) {
        removed.add(path);
    }

    /** A command that the page sent. */
    record Command(String path, @Nullable String authorization, String body) {}

    List<Command> commands() {
        return List.copyOf(commands);
    }

    /** Stops the server, so that connections are refused. */
    void stop() {
        server.stop(0);
    }

    /** Is there again, where it was. */
    void restart() throws IOException {
        server = listen(port);
        serve();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath().substring(1);
            if (removed.contains(path)) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            if (path.startsWith("api/")) {
                send(exchange, "application/json", api(exchange, path).getBytes(StandardCharsets.UTF_8));
                return;
            }
            String name = path.isEmpty() ? "index.html" : path;
            String type = TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "text/plain");
            send(exchange, type, Files.readAllBytes(PAGE.resolve(name)));
        }
    }

    private String api(HttpExchange exchange, String path) throws IOException {
        if (exchange.getRequestMethod().equals("POST")) {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            commands.add(new Command(path, exchange.getRequestHeaders().getFirst("Authorization"), body));
            return "{\"done\":true,\"text\":\"it was done\"}";
        }
        if (path.equals("api/subscription")) {
            return new Json().toJson(answer);
        }
        return Optional.ofNullable(others.get(path)).orElse(path.equals("api/page") ? PLAIN_PAGE : NO_LAG);
    }

    private static void send(HttpExchange exchange, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type + "; charset=utf-8");
        exchange.getResponseHeaders().set("Content-Security-Policy", POLICY);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
