package dev.spream.storage.spanner.outbox;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;

/**
 * A receiver that recognises keys: a key has one effect, however often it is requested. Of the requests, some are refused
 * before their effect, and some are not answered after it.
 */
final class CountingReceiver implements AutoCloseable {
    private final HttpServer server;
    private final Random random;

    /** Guarded by this. */
    private final LinkedHashSet<String> effects = new LinkedHashSet<>();

    /** Guarded by this. */
    private int requests;

    CountingReceiver(long seed) throws IOException {
        random = new Random(seed);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            String key = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            int status = take(key);
            if (status != 0) {
                exchange.sendResponseHeaders(status, -1);
                exchange.close();
            }
        });
        server.start();
    }

    /** Returns the status to answer, or 0 for no answer. */
    private synchronized int take(String key) {
        requests++;
        int fate = random.nextInt(20);
        if (fate == 0) {
            return 503;
        }
        effects.add(key);
        return fate == 1 ? 0 : 200;
    }

    String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** Returns the keys in the order of their effects. */
    synchronized List<String> effects() {
        return new ArrayList<>(effects);
    }

    synchronized int requests() {
        return requests;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
