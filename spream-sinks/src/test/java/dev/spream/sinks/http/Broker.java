package dev.spream.sinks.http;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A receiver that keeps a book of what it did for which key, and hangs up on the first request of each key: after it has acted on
 * it, or before.
 */
final class Broker implements AutoCloseable {
    private final boolean remembers;
    private final boolean actsBeforeItHangsUp;
    private final LoopbackServer server;

    // Guarded by this.
    private final Map<String, Integer> effects = new HashMap<>();
    private final Map<String, Integer> requests = new HashMap<>();
    private int queries;
    private Optional<Integer> refusal = Optional.empty();

    /** @param remembers whether a key that comes again has one effect */
    Broker(boolean remembers, boolean actsBeforeItHangsUp) throws IOException {
        this.remembers = remembers;
        this.actsBeforeItHangsUp = actsBeforeItHangsUp;
        this.server = LoopbackServer.start(this::answer);
    }

    private void answer(HttpExchange exchange, LoopbackServer.Request request) throws IOException {
        if (request.method().equals("GET")) {
            String key = request.path().substring("/orders/".length());
            LoopbackServer.respond(exchange, query(key) ? 200 : 404, "{\"known\":true}");
            return;
        }
        int status = take(request.header("Idempotency-Key"));
        if (status == 0) {
            throw new IOException("hangs up");
        }
        LoopbackServer.respond(exchange, status, "{\"orderId\":1}");
    }

    private synchronized boolean query(String key) {
        queries++;
        return effects.containsKey(key);
    }

    /** The status of the answer; 0 for none. */
    private synchronized int take(String key) {
        boolean first = requests.merge(key, 1, Integer::sum) == 1;
        if (refusal.isPresent()) {
            return refusal.get();
        }
        if ((!first || actsBeforeItHangsUp) && !(remembers && effects.containsKey(key))) {
            effects.merge(key, 1, Integer::sum);
        }
        return first ? 0 : 200;
    }

    synchronized void refuse(int status) {
        refusal = Optional.of(status);
    }

    synchronized void refuseNothing() {
        refusal = Optional.empty();
    }

    /** Returns how often it acted, by key. */
    synchronized Map<String, Integer> effects() {
        return Map.copyOf(effects);
    }

    /** Returns how often it was requested to act, by key. */
    synchronized Map<String, Integer> requests() {
        return Map.copyOf(requests);
    }

    synchronized int queries() {
        return queries;
    }

    String url() {
        return server.url("/orders/");
    }

    @Override
    public void close() {
        server.close();
    }
}
