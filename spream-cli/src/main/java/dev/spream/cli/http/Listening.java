package dev.spream.cli.http;

import com.sun.net.httpserver.HttpServer;
import dev.spream.api.HttpAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A listening HTTP server with a virtual thread for each request, and a task once a second. */
final class Listening implements AutoCloseable {
    private static final int BACKLOG = 50;
    private static final String ALL_ADDRESSES_HERE = "127.0.0.1";
    /**
     * Limits for a client of the JDK's server, which are configurable by system properties only. Values set by the user
     * take precedence.
     *
     * @see
     *     <a href="https://docs.oracle.com/en/java/javase/21/docs/api/jdk.httpserver/module-summary.html">jdk.httpserver</a>
     */
    private static final Map<String, String> LIMITS = Map.of(
            "jdk.httpserver.maxConnections", "200",
            "sun.net.httpserver.maxReqTime", "10",
            "sun.net.httpserver.maxRspTime", "30",
            "sun.net.httpserver.idleInterval", "30",
            "sun.net.httpserver.maxReqHeaders", "100",
            "sun.net.httpserver.maxReqHeaderSize", "16384",
            "sun.net.httpserver.drainAmount", "16384");

    private final HttpServer server;
    private final ExecutorService requests = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("spream-http-", 0).factory());
    private final ScheduledExecutorService seconds = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("spream-http-seconds").factory());

    /**
     * Starts to listen.
     *
     * @param endpoints the endpoints by path
     * @param commands empty if there are none
     * @param everySecond must not fail
     */
    @SuppressWarnings("FutureReturnValueIgnored") // the task does not fail, and ends with the executor
    Listening(
            HttpAddress address,
            Map<String, Endpoint> endpoints,
            Optional<CommandRouter> commands,
            Runnable everySecond)
            throws IOException {
        LIMITS.forEach(System.getProperties()::putIfAbsent);
        InetSocketAddress socket = new InetSocketAddress(InetAddress.getByName(address.host()), address.port());
        server = HttpServer.create(socket, BACKLOG);
        server.createContext(
                "/", new Router(new HostCheck(socket.getAddress().isLoopbackAddress()), endpoints, commands));
        server.setExecutor(requests);
        seconds.scheduleAtFixedRate(everySecond, 0, 1, TimeUnit.SECONDS);
        server.start();
    }

    String url() {
        InetSocketAddress socket = server.getAddress();
        InetAddress address = socket.getAddress();
        String host = address.isAnyLocalAddress() ? ALL_ADDRESSES_HERE : address.getHostAddress();
        return "http://%s/".formatted(new HttpAddress(host, socket.getPort()));
    }

    @Override
    public void close() {
        server.stop(0);
        requests.shutdownNow();
        seconds.shutdownNow();
    }
}
