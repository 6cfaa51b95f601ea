package dev.spream.sinks.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server on the loopback interface that answers as a test wants, and remembers what it was asked. */
public final class LoopbackServer implements AutoCloseable {

    /** Handles a request. A handler that throws breaks the connection. */
    public interface Handler {
        void answer(HttpExchange exchange, Request request) throws Exception;
    }

    public record Request(String method, String path, Headers headers, String body) {
        public String header(String name) {
            return String.valueOf(headers.getFirst(name));
        }
    }

    private final HttpServer server;
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Request> requests = new ArrayList<>(); // guarded by this

    private LoopbackServer(HttpServer server) {
        this.server = server;
    }

    public static LoopbackServer start(Handler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        LoopbackServer loopback = new LoopbackServer(server);
        server.createContext("/", exchange -> loopback.handle(exchange, handler));
        server.setExecutor(loopback.executor);
        server.start();
        return loopback;
    }

    public static LoopbackServer answering(int status) throws IOException {
        return start((exchange, request) -> respond(exchange, status, ""));
    }

    public static void respond(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void handle(HttpExchange exchange, Handler handler) throws IOException {
        Request request = new Request(
                exchange.getRequestMethod(),
                exchange.getRequestURI().toString(),
                exchange.getRequestHeaders(),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        synchronized (this) {
            requests.add(request);
        }
        try {
            handler.answer(exchange, request);
        } catch (Exception e) {
            throw new IOException("the connection is cut", e);
        }
    }

    public synchronized List<Request> requests() {
        return List.copyOf(requests);
    }

    public String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
