package dev.spream.examples.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.spream.api.HttpAddress;
import dev.spream.core.LoggedFailure;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP server for JSON, with a virtual thread for each request. A body that is not declared as JSON is answered with
 * 415.
 */
public final class JsonServer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JsonServer.class);
    private static final int BACKLOG = 100;
    private static final int MAX_REQUESTS = 10_000;

    static {
        if (System.getProperty("sun.net.httpserver.nodelay")
                == null) { // otherwise a response waits 40 ms for its second packet
            System.setProperty("sun.net.httpserver.nodelay", "true");
        }
    }

    /** Handles requests; called by many threads concurrently. */
    @FunctionalInterface
    public interface Handler {
        /**
         * Returns the response; empty to drop the connection instead.
         *
         * @throws IllegalArgumentException if the request is malformed; its message is sent in the response
         */
        Optional<Answer> answer(Call call) throws Exception;
    }

    private final HttpServer server;
    private final Handler handler;
    private final BrowserCheck browsers;
    private final ExecutorService requests;
    private final Semaphore underWay = new Semaphore(MAX_REQUESTS);
    private volatile boolean closing;

    private JsonServer(String name, HttpAddress address, Handler handler) throws IOException {
        this.server = listen(name, address);
        this.handler = handler;
        this.browsers = new BrowserCheck(server.getAddress().getAddress().isLoopbackAddress());
        this.requests = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name(name + "-", 0).factory());
        server.createContext("/", this::handle);
        server.setExecutor(requests);
        server.start();
    }

    /**
     * Starts to listen.
     *
     * @param name the name of its threads
     * @throws IOException if it cannot; the message contains the address
     */
    public static JsonServer start(String name, HttpAddress address, Handler handler) throws IOException {
        return new JsonServer(name, address, handler);
    }

    private static HttpServer listen(String name, HttpAddress address) throws IOException {
        try {
            InetAddress host = InetAddress.getByName(address.host());
            return HttpServer.create(new InetSocketAddress(host, address.port()), BACKLOG);
        } catch (IOException e) {
            throw new IOException("%s cannot listen at %s (%s)".formatted(name, address, e), e);
        }
    }

    /** Returns the address for clients on this machine, without a slash at the end. */
    public URI uri() {
        InetAddress address = server.getAddress().getAddress();
        String host = address.isAnyLocalAddress() ? "127.0.0.1" : address.getHostAddress();
        return URI.create("http://" + new HttpAddress(host, server.getAddress().getPort()));
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (closing || !underWay.tryAcquire()) {
                send(exchange, Answer.problem(Answer.UNAVAILABLE, "Not now", "The server is shutting down."));
                return;
            }
            try {
                Optional<Answer> answer = answer(exchange);
                if (answer.isPresent()) {
                    send(exchange, answer.get());
                }
            } finally {
                underWay.release();
            }
        }
    }

    private Optional<Answer> answer(HttpExchange exchange) {
        Optional<Answer> refusal = browsers.refusal(exchange.getRequestHeaders());
        if (refusal.isPresent()) {
            return refusal;
        }
        try {
            return handler.answer(new Call(exchange));
        } catch (IllegalArgumentException e) {
            return Optional.of(Answer.problem(
                    Answer.BAD_REQUEST,
                    "Bad request",
                    Optional.ofNullable(e.getMessage()).orElse("")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (Exception e) {
            log.error("a request failed and is answered with 500", LoggedFailure.of(e));
            return Optional.of(Answer.problem(Answer.SERVER_ERROR, "Server error", "see the log of the server"));
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] body = (answer.body() + "\n").getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", answer.contentType());
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        if (exchange.getRequestMethod().equals(Call.HEAD)) {
            exchange.getResponseHeaders().set("Content-Length", String.valueOf(body.length));
            exchange.sendResponseHeaders(answer.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(answer.status(), body.length);
        exchange.getResponseBody().write(body);
    }

    /** Rejects new requests, and waits for running ones, up to the timeout. */
    public void drain(Duration timeout) throws InterruptedException {
        closing = true;
        if (underWay.tryAcquire(MAX_REQUESTS, timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            underWay.release(MAX_REQUESTS);
        }
    }

    /** Aborts running requests. */
    @Override
    public void close() {
        server.stop(0);
        requests.shutdownNow();
    }
}
