package dev.spream.cli.http;

import com.sun.net.httpserver.HttpServer;
import dev.spream.api.HttpAddress;
import dev.spream.cli.http.RunState.Phase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A server that listens, with a virtual thread for each request and one that looks at the subscription once a second. */
final class Listening implements AutoCloseable {
    private static final int BACKLOG = 50;
    private static final String ALL_ADDRESSES_HERE = "127.0.0.1";

    private final HttpServer server;
    private final Observed observed;
    private final ExecutorService requests = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("spream-http-", 0).factory());
    private final ScheduledExecutorService seconds = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("spream-http-seconds").factory());

    private Listening(HttpServer server, Observed observed) {
        this.server = server;
        this.observed = observed;
    }

    static Listening start(HttpAddress address, Observed observed) throws IOException {
        ServerLimits.apply();
        InetSocketAddress socket = new InetSocketAddress(InetAddress.getByName(address.host()), address.port());
        Listening listening = new Listening(HttpServer.create(socket, BACKLOG), observed);
        listening.serve(HostCheck.of(socket.getAddress()));
        return listening;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // looking cannot fail, and ends with the executor
    private void serve(HostCheck hosts) {
        server.createContext("/", new Router(hosts, endpoints()));
        server.setExecutor(requests);
        seconds.scheduleAtFixedRate(observed::look, 0, 1, TimeUnit.SECONDS);
        server.start();
    }

    private Map<String, Router.Endpoint> endpoints() {
        Map<String, Router.Endpoint> endpoints = new HashMap<>();
        PageFiles.load().forEach((path, answer) -> endpoints.put(path, () -> answer));
        endpoints.put("/health", this::health);
        endpoints.put("/ready", this::ready);
        endpoints.put("/metrics", observed.metrics()::scrape);
        endpoints.put("/api/subscription", () -> Answer.json(SubscriptionJson.write(observed)));
        return endpoints;
    }

    private Answer health() {
        return observed.problem()
                .map(problem -> Answer.text(Answer.UNAVAILABLE, problem))
                .orElseGet(() -> Answer.text(Answer.OK, phase()));
    }

    private Answer ready() {
        boolean ready = observed.state().phase() == Phase.RUNNING;
        return Answer.text(ready ? Answer.OK : Answer.UNAVAILABLE, phase());
    }

    private String phase() {
        return observed.state().phase().name().toLowerCase(Locale.ROOT);
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
