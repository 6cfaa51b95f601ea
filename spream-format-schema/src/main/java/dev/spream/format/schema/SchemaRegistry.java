package dev.spream.format.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.SpreamException;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A schema registry with the API of Confluent's. Each schema is asked for once in each subject, and its id is kept. Safe
 * for use by many threads.
 *
 * @see <a href="https://docs.confluent.io/platform/current/schema-registry/develop/api.html">Schema Registry API</a>
 */
public final class SchemaRegistry implements AutoCloseable {
    /** The code of a subject whose mode permits no registration at the moment. */
    private static final String READ_ONLY = "42205";

    /** The codes for a subject, a version or a schema that the registry does not have. */
    private static final Set<String> NOT_FOUND = Set.of("40401", "40402", "40403");

    private static final String CONTENT_TYPE = "application/vnd.schemaregistry.v1+json";
    private static final int MAX_IDS = 10_000;

    private record Subject(String name, String schema) {}

    /** A user with a password. */
    public record Login(String user, String password) {
        private String header() {
            return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
        }

        @Override
        public String toString() {
            return user;
        }
    }

    private final String url;
    private final SchemaType type;
    private final Optional<String> authorization;
    private final boolean registers;
    private final Duration timeout;
    private final HttpClient client;
    private final Map<Subject, CompletableFuture<Integer>> ids = new ConcurrentHashMap<>();

    private SchemaRegistry(String url, SchemaType type, Optional<Login> login, boolean registers, Duration timeout) {
        this.url = url;
        this.type = type;
        this.authorization = login.map(Login::header);
        this.registers = registers;
        this.timeout = timeout;
        this.client = HttpClient.newBuilder()
                .connectTimeout(timeout)
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
    }

    /**
     * Returns a registry; the first call connects.
     *
     * @param timeout of each call
     */
    public static SchemaRegistry of(
            URI url, SchemaType type, Optional<Login> login, boolean registers, Duration timeout) {
        String text = url.toString();
        return new SchemaRegistry(
                text.endsWith("/") ? text.substring(0, text.length() - 1) : text, type, login, registers, timeout);
    }

    /**
     * Returns the id of a schema in a subject.
     *
     * @throws NonRetryableException if the registry refuses the schema, or does not have it and none is to be registered
     * @throws SpreamException if the registry fails otherwise, or refuses the user
     */
    public int id(String subject, String schema) {
        Subject key = new Subject(subject, schema);
        CompletableFuture<Integer> known = ids.get(key);
        if (known != null) {
            return joined(known, key);
        }
        if (ids.size() >= MAX_IDS) {
            ids.clear();
        }
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        CompletableFuture<Integer> asked = ids.putIfAbsent(key, answer);
        if (asked != null) {
            return joined(asked, key);
        }
        try {
            int id = ask(subject, schema);
            answer.complete(id);
            return id;
        } catch (RuntimeException | Error e) {
            ids.remove(key, answer);
            if (Thread.currentThread().isInterrupted()) {
                answer.cancel(false); // this call alone has failed
            } else {
                answer.completeExceptionally(e);
            }
            throw e;
        }
    }

    /** Waits for the answer to the call of another thread; its failure is that of this call, too, but not its interrupt. */
    private int joined(CompletableFuture<Integer> asked, Subject key) {
        try {
            return asked.get();
        } catch (CancellationException e) {
            return id(key.name(), key.schema());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("was not waited for, since the call was interrupted", key.name(), e);
        }
    }

    private int ask(String subject, String schema) {
        String path =
                "/subjects/" + URLEncoder.encode(subject, UTF_8).replace("+", "%20") + (registers ? "/versions" : "");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", CONTENT_TYPE)
                .header("Accept", CONTENT_TYPE + ", application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body(schema)));
        authorization.ifPresent(value -> request.header("Authorization", value));
        HttpResponse<String> answer = send(request.build(), subject);
        if (answer.statusCode() / 100 == 2) {
            return answeredId(answer.body(), subject);
        }
        throw refusal(answer, subject);
    }

    /** Returns the schema with its type; without one it is Avro's, also for registries that know no other. */
    private String body(String schema) {
        return Json.text(
                type == SchemaType.AVRO
                        ? Map.of("schema", schema)
                        : Map.of("schemaType", type.name(), "schema", schema));
    }

    private int answeredId(String answer, String subject) {
        try {
            return Math.toIntExact(JsonObject.of(answer).int64("id").orElseThrow());
        } catch (RuntimeException e) {
            throw new SpreamException(
                    "the schema registry %s answered without the id of the schema of %s; check schema-registry.url"
                            .formatted(url, subject),
                    e);
        }
    }

    private SpreamException refusal(HttpResponse<String> answer, String subject) {
        int status = answer.statusCode();
        String code = errorCode(answer.body());
        String refusal = "the schema registry %s answered with status %d%s to the schema of %s"
                .formatted(url, status, code.isEmpty() ? "" : " and code " + code, subject);
        return switch (status) {
            case 409 ->
                new NonRetryableException(
                        refusal
                                + "; it does not fit the compatibility of the subject: allow it there, or send later changes under another topic");
            case 422 ->
                code.equals(READ_ONLY)
                        ? new SpreamException(refusal + "; the subject is read-only now")
                        : new NonRetryableException(refusal);
            case 404 ->
                registers || !NOT_FOUND.contains(code)
                        ? new SpreamException(refusal + "; check schema-registry.url")
                        : new NonRetryableException(
                                refusal + "; register the schema, or set schema-registry.register=true");
            case 401, 403 ->
                new SpreamException(refusal + "; check schema-registry.user, its password and its permissions");
            default -> new SpreamException(refusal + "; the message is not sent yet");
        };
    }

    /** Returns the error code of the answer, or an empty text; the answer's own text may quote the schema. */
    private static String errorCode(String body) {
        try {
            return String.valueOf(JsonObject.of(body).int64("error_code").orElseThrow());
        } catch (RuntimeException e) {
            return "";
        }
    }

    private HttpResponse<String> send(HttpRequest request, String subject) {
        CompletableFuture<HttpResponse<String>> answer =
                client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw failed("did not answer in time", subject, e);
        } catch (ExecutionException e) {
            throw failed("cannot be reached (%s)".formatted(e.getCause()), subject, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("was not waited for, since the call was interrupted", subject, e);
        } finally {
            answer.cancel(true);
        }
    }

    private SpreamException failed(String what, String subject, Exception cause) {
        return new SpreamException(
                "the schema registry %s %s: the id of the schema of %s is not known, and its message not sent yet"
                        .formatted(url, what, subject),
                cause);
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }

    @Override
    public String toString() {
        return url;
    }
}
