package dev.spream.servers;

import static java.util.Objects.requireNonNull;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The part of a Meilisearch server that spream uses, on the loopback interface: requests are answered at once, tasks
 * run one after the other in order, and a task that fails changes nothing. It rejects the same requests as the server,
 * and injects faults for tests.
 *
 * <p>Written from the public documentation, not from the server: its search is much simpler.
 */
public final class MeilisearchDouble implements AutoCloseable {
    private static final int ACCEPTED = 202;
    private static final Pattern SLASH = Pattern.compile("/");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final DoubleTasks tasks = new DoubleTasks();
    private final Map<String, DoubleIndex> indexes = Collections.synchronizedMap(new LinkedHashMap<>());
    private final AtomicInteger keptAnswers = new AtomicInteger();
    private final AtomicInteger lostAnswers = new AtomicInteger();
    private final AtomicInteger errors = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicReference<@Nullable Runnable> held = new AtomicReference<>();
    private final Map<String, String> instead = new ConcurrentHashMap<>();
    private volatile boolean holding;
    private volatile boolean down;
    private volatile String key = "";

    private MeilisearchDouble(HttpServer server) {
        this.server = server;
    }

    public static MeilisearchDouble start() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        MeilisearchDouble started = new MeilisearchDouble(server);
        server.createContext("/", started::handle);
        server.setExecutor(started.threads);
        server.start();
        return started;
    }

    public URI url() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** Requires this key from now on. */
    public void requireKey(String secret) {
        key = secret;
    }

    /** Breaks every connection, or stops doing so. */
    public void down(boolean value) {
        down = value;
    }

    /** Executes the given number of requests and breaks the connection before the response. */
    public void loseAnswers(int count) {
        loseAnswers(0, count);
    }

    /** Does the same after the given number of successful responses. */
    public void loseAnswers(int after, int count) {
        keptAnswers.set(after);
        lostAnswers.set(count);
    }

    /** Answers the given number of requests with status 503, without executing them. */
    public void failRequests(int count) {
        errors.set(count);
    }

    /** Holds the next request with documents: it gets no response, and is not executed before {@link #takeHeld}. */
    public void holdDocuments() {
        holding = true;
    }

    /** Executes the held request now. */
    public void takeHeld() {
        requireNonNull(held.getAndSet(null), "no request was held").run();
    }

    /**
     * Answers requests whose path ends with the given text by the given body, without executing them; with an empty
     * body, stops doing so.
     */
    public void answer(String path, String body) {
        if (body.isEmpty()) {
            instead.remove(path);
        } else {
            instead.put(path, body);
        }
    }

    /** Reports each task as missing, as after it has been cleared, or stops doing so. */
    public void forgetTasks(boolean value) {
        tasks.forgetful = value;
    }

    public void taskTime(Duration time) {
        tasks.time = time;
    }

    /** Fails the task after the given number of others with the code, of type {@code internal} or {@code invalid_request}. */
    public void failTask(int after, String type, String code) {
        tasks.fail(after, type, code);
    }

    /** Fails every task with a document of that id, as for a document that the server cannot store. */
    public void refuseDocument(String id) {
        tasks.refused.add(id);
    }

    public int requests() {
        return requests.get();
    }

    public long tasks() {
        return tasks.ids.get();
    }

    /** Returns the current documents of an index, tombstones included; empty if it does not exist. */
    public Map<String, Map<String, @Nullable Object>> documents(String index) {
        DoubleIndex found = indexes.get(index);
        return found == null ? Map.of() : found.documents();
    }

    /** Removes an index, as a disk that is not mounted would; the result restores it, replacing any other. */
    public Runnable takeAway(String name) {
        DoubleIndex taken = requireNonNull(indexes.remove(name), name);
        return () -> indexes.put(name, taken);
    }

    /** Creates an index as another program would. */
    public void createForeign(String name, String primaryKey) {
        indexes.put(name, new DoubleIndex(name, primaryKey));
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            requests.incrementAndGet();
            if (down) {
                return;
            }
            String text = new String(body, StandardCharsets.UTF_8);
            String path = exchange.getRequestURI().getPath();
            if (holding && path.endsWith("/documents")) {
                holding = false;
                held.set(() -> answer(exchange, text));
                return;
            }
            DoubleAnswer answer = takeOne(errors)
                    ? DoubleAnswer.error(503, "internal", "service_unavailable")
                    : instead.entrySet().stream()
                            .filter(entry -> path.endsWith(entry.getKey()))
                            .findFirst()
                            .map(entry -> new DoubleAnswer(200, entry.getValue()))
                            .orElseGet(() -> answer(exchange, text));
            if (!takeOne(keptAnswers) && takeOne(lostAnswers)) {
                return;
            }
            byte[] answered = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.status(), answered.length);
            exchange.getResponseBody().write(answered);
        }
    }

    private static boolean takeOne(AtomicInteger left) {
        return left.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
    }

    private DoubleAnswer answer(HttpExchange exchange, String body) {
        @Nullable String given = exchange.getRequestHeaders().getFirst("Authorization");
        if (!key.isEmpty() && given == null) {
            return DoubleAnswer.error(401, "auth", "missing_authorization_header");
        }
        if (!key.isEmpty() && !("Bearer " + key).equals(given)) {
            return DoubleAnswer.error(403, "auth", "invalid_api_key");
        }
        try {
            return route(
                    exchange.getRequestMethod(),
                    SLASH.splitAsStream(exchange.getRequestURI().getPath().substring(1))
                            .toList(),
                    body);
        } catch (DoubleRefusal e) {
            return DoubleAnswer.error(e.status, "invalid_request", e.code);
        } catch (IllegalArgumentException e) {
            return DoubleAnswer.error(400, "invalid_request", "malformed_payload");
        }
    }

    private DoubleAnswer route(String method, List<String> path, String body) {
        String rest =
                switch (path.size()) {
                    case 1 -> "all";
                    case 2 -> "one";
                    default -> String.join("/", path.subList(2, path.size()));
                };
        String what = "%s %s %s".formatted(method, path.getFirst(), rest);
        String name = path.size() > 1 ? path.get(1) : "";
        return switch (what) {
            case "GET tasks one" -> tasks.show(Long.parseLong(name));
            case "GET indexes all" -> list();
            case "POST indexes all" -> create(JsonObject.of(body));
            case "GET indexes one" -> DoubleAnswer.ok(index(name).describe());
            case "DELETE indexes one" -> enqueue(() -> remove(name));
            case "GET indexes settings" -> DoubleAnswer.ok(index(name).settings());
            case "PATCH indexes settings" -> {
                JsonObject settings = JsonObject.of(body);
                yield enqueue(() -> index(name).set(settings));
            }
            case "POST indexes documents" -> add(name, body);
            case "POST indexes documents/fetch" -> DoubleAnswer.ok(index(name).fetch(JsonObject.of(body)));
            case "POST indexes documents/delete" -> {
                String filter = JsonObject.of(body).string("filter").orElseThrow();
                index(name).check(filter, "invalid_document_filter");
                yield enqueue(() -> index(name).deleteBy(filter));
            }
            case "POST indexes search" -> DoubleAnswer.ok(index(name).search(JsonObject.of(body)));
            default -> new DoubleAnswer(404, "");
        };
    }

    private DoubleAnswer list() {
        List<Map<String, Object>> results = List.copyOf(indexes.values()).stream()
                .map(DoubleIndex::describe)
                .toList();
        return DoubleAnswer.ok(Map.of("results", results, "offset", 0, "limit", 1_000, "total", results.size()));
    }

    private DoubleAnswer create(JsonObject body) {
        String name = body.string("uid").orElseThrow();
        if (!name.matches("[A-Za-z0-9_-]{1,400}")) {
            throw new DoubleRefusal(400, "invalid_index_uid");
        }
        return enqueue(() -> {
            DoubleIndex created =
                    new DoubleIndex(name, body.string("primaryKey").orElseThrow());
            if (indexes.putIfAbsent(name, created) != null) {
                throw new DoubleRefusal(409, "index_already_exists");
            }
        });
    }

    private void remove(String name) {
        index(name);
        indexes.remove(name);
    }

    /** Adds documents; creates a missing index, as the server does. */
    private DoubleAnswer add(String name, String body) {
        if (!(Json.parse(body) instanceof List<?> documents)) {
            throw new DoubleRefusal(400, "malformed_payload");
        }
        return enqueue(() -> {
            tasks.checkDocuments(documents);
            indexes.computeIfAbsent(name, any -> new DoubleIndex(name, DoubleIndex.PRIMARY_KEY))
                    .add(documents);
        });
    }

    private DoubleIndex index(String name) {
        return Optional.ofNullable(indexes.get(name)).orElseThrow(() -> new DoubleRefusal(404, "index_not_found"));
    }

    private DoubleAnswer enqueue(Runnable work) {
        long task = tasks.add(work);
        return new DoubleAnswer(ACCEPTED, Json.text(Map.of("taskUid", task, "status", "enqueued")));
    }

    @Override
    public void close() {
        server.stop(0);
        tasks.close();
        threads.shutdownNow();
    }
}
