package dev.spream.servers;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * A schema registry that implements the documented calls that register and look up schemas, since none of the registries
 * runs in a test's process. No test against a real one.
 *
 * @see <a href="https://docs.confluent.io/platform/current/schema-registry/develop/api.html">Schema Registry API</a>
 */
public final class RegistryServer implements AutoCloseable {
    private static final String TYPE = "application/vnd.schemaregistry.v1+json";

    private final HttpServer server;
    private final BiPredicate<String, String> compatible;
    private final List<String> schemas = new ArrayList<>(); // by their ids, from 1; guarded by this, as all below
    private final Map<String, List<String>> subjects = new LinkedHashMap<>();
    private final List<String> requests = new ArrayList<>();
    private final List<String> types = new ArrayList<>();
    private int broken; // requests to be answered with brokenStatus
    private int brokenStatus;
    private int brokenCode;
    private String authorization = "";

    private RegistryServer(HttpServer server, BiPredicate<String, String> compatible) {
        this.server = server;
        this.compatible = compatible;
    }

    /**
     * Starts a registry.
     *
     * @param compatible whether a schema may follow another one, in this order
     */
    public static RegistryServer start(BiPredicate<String, String> compatible) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        RegistryServer registry = new RegistryServer(server, compatible);
        server.createContext("/subjects/", registry::handle);
        server.start();
        return registry;
    }

    public String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    public synchronized void requires(String header) {
        authorization = header;
    }

    public void breaks(int times) {
        breaks(times, 500, 50001);
    }

    /** Answers the next requests with that status and code. */
    public synchronized void breaks(int requests, int status, int code) {
        broken = requests;
        brokenStatus = status;
        brokenCode = code;
    }

    public synchronized List<String> requests() {
        return List.copyOf(requests);
    }

    /** Returns the types of the schemas in requests, each empty if it has none, in order. */
    public synchronized List<String> types() {
        return List.copyOf(types);
    }

    /** Returns the schema with an id that an answer had. */
    public synchronized String schema(int id) {
        return schemas.get(id - 1);
    }

    private synchronized void handle(HttpExchange call) throws IOException {
        try (call) {
            String[] path = call.getRequestURI().getRawPath().split("/", -1);
            String subject = URLDecoder.decode(path[2], UTF_8);
            requests.add(call.getRequestMethod() + " " + call.getRequestURI().getRawPath());
            String body = new String(call.getRequestBody().readAllBytes(), UTF_8);
            if (broken > 0) {
                broken--;
                answer(call, brokenStatus, Map.of("error_code", brokenCode, "message", "backend"));
            } else if (!authorization.isEmpty()
                    && !authorization.equals(call.getRequestHeaders().getFirst("Authorization"))) {
                answer(call, 401, Map.of("error_code", 401, "message", "Unauthorized"));
            } else if (!TYPE.equals(call.getRequestHeaders().getFirst("Content-Type"))) {
                answer(call, 415, Map.of("error_code", 415, "message", "Unsupported Media Type"));
            } else {
                JsonObject schema = JsonObject.of(body);
                types.add(schema.string("schemaType").orElse(""));
                handle(call, subject, path.length > 3, schema.string("schema").orElseThrow());
            }
        }
    }

    private void handle(HttpExchange call, String subject, boolean registers, String schema) throws IOException {
        List<String> versions = subjects.computeIfAbsent(subject, name -> new ArrayList<>());
        if (!versions.contains(schema)) {
            if (!registers) {
                answer(call, 404, Map.of("error_code", 40403, "message", "Schema not found"));
                return;
            }
            if (!versions.isEmpty() && !compatible.test(schema, versions.getLast())) {
                answer(call, 409, Map.of("error_code", 409, "message", "incompatible: " + schema));
                return;
            }
            versions.add(schema);
        }
        if (!schemas.contains(schema)) {
            schemas.add(schema);
        }
        answer(call, 200, Map.of("id", schemas.indexOf(schema) + 1));
    }

    private static void answer(HttpExchange call, int status, Map<String, Object> body) throws IOException {
        byte[] bytes = Json.text(body).getBytes(UTF_8);
        call.getResponseHeaders().set("Content-Type", TYPE);
        call.sendResponseHeaders(status, bytes.length);
        call.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
