package dev.spream.storage.jdbc.outbox;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** A receiver that counts the requests of each key, takes some time to answer, and can be queried. */
final class CountingReceiver implements AutoCloseable {
    private static final long ANSWER_NANOS = 30_000_000;

    private final Map<String, Integer> requests = new ConcurrentHashMap<>();
    private final Map<String, List<String>> keysInOrder = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    CountingReceiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String key = exchange.getRequestURI().getPath().substring(1);
            if (exchange.getRequestMethod().equals("GET")) {
                exchange.sendResponseHeaders(requests.containsKey(key) ? 200 : 404, -1);
                return;
            }
            requests.merge(key, 1, Integer::sum);
            String orderingKey = exchange.getRequestHeaders().getFirst("Ordering-Key");
            if (!orderingKey.isEmpty()) {
                keysInOrder
                        .computeIfAbsent(orderingKey, each -> new CopyOnWriteArrayList<>())
                        .add(key);
            }
            LockSupport.parkNanos(ANSWER_NANOS);
            exchange.sendResponseHeaders(200, -1);
        }
    }

    URI uri() {
        return URI.create("http://127.0.0.1:%d/".formatted(server.getAddress().getPort()));
    }

    Map<String, Integer> requests() {
        return Map.copyOf(requests);
    }

    /** Returns the keys of the requests with each ordering key, as they came. */
    Map<String, List<String>> keysInOrder() {
        return Map.copyOf(keysInOrder);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }
}
