package dev.spream.search.meilisearch;

import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client of the server. Safe for use by many threads. A request that the server refuses fails with a {@link
 * RefusedException}.
 */
final class MeilisearchClient implements AutoCloseable {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration REQUEST = Duration.ofSeconds(30);

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();
    private final URI url;
    private final Optional<String> key;
    private final TaskWait tasks;

    MeilisearchClient(URI url, Optional<String> key, Duration taskTimeout) {
        this.url = url;
        this.key = key;
        this.tasks = new TaskWait(this, taskTimeout);
    }

    JsonObject get(String path) {
        return ask("GET", path, null);
    }

    /** Returns the response; empty if there is no such index. */
    Optional<JsonObject> find(String path) {
        return RefusedException.orIfNoIndex(Optional.empty(), () -> Optional.of(get(path)));
    }

    JsonObject post(String path, Map<String, ?> body) {
        return ask("POST", path, Json.text(body));
    }

    /** Sends a request that the server executes as a task, and waits until the task has ended. */
    JsonObject change(String method, String path, @Nullable Map<String, ?> body) {
        return changeText(method, path, body == null ? null : Json.text(body));
    }

    JsonObject changeText(String method, String path, @Nullable String body) {
        return tasks.await(enqueue(method, path, body));
    }

    /** Sends a request that the server executes as a task; returns the number of the task. */
    long enqueue(String method, String path, @Nullable String body) {
        return task(ask(method, path, body));
    }

    private long task(JsonObject answer) {
        return understood(() -> answer.int64("taskUid").orElseThrow());
    }

    TaskWait tasks() {
        return tasks;
    }

    /** Returns what is read from a response; a missing member, or one of another type, is a transient failure. */
    <R> R understood(Supplier<R> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException | ArithmeticException | NoSuchElementException e) {
            throw new SearchException(
                    FailureKind.TRANSIENT,
                    "%s sent a response that is not Meilisearch's; the response is ignored and the request is repeated: check which server has that address"
                            .formatted(this),
                    e);
        }
    }

    /** Returns the member, which must be present. */
    static List<JsonObject> objects(JsonObject answer, String name) {
        if (!answer.has(name)) {
            throw new NoSuchElementException(name);
        }
        return answer.objects(name);
    }

    private JsonObject ask(String method, String path, @Nullable String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base() + path))
                .timeout(REQUEST)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        key.ifPresent(secret -> request.header("Authorization", "Bearer " + secret));
        return answer(method + " " + path.replaceFirst("\\?.*", ""), request.build());
    }

    private String base() {
        String text = url.toString();
        return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
    }

    private JsonObject answer(String what, HttpRequest request) {
        try {
            return read(what, http.send(request, BodyHandlers.ofString()));
        } catch (IOException e) {
            throw new SearchException(
                    FailureKind.TRANSIENT,
                    "Meilisearch at %s did not respond to %s (%s); the request may have been executed, and is repeated"
                            .formatted(this, what, e.getClass().getSimpleName()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SearchException(FailureKind.TRANSIENT, "interrupted during a request to Meilisearch", e);
        }
    }

    private JsonObject read(String what, HttpResponse<String> response) {
        Optional<JsonObject> answer = parsed(response.body());
        if (response.statusCode() / 100 == 2 && answer.isPresent()) {
            return answer.get();
        }
        ErrorCode error = answer.filter(object -> object.has("code"))
                .map(ErrorCode::of)
                .orElseGet(() -> ErrorCode.ofStatus(response.statusCode() / 100 == 2 ? 502 : response.statusCode()));
        throw error.refused("Meilisearch at %s refused %s".formatted(this, what));
    }

    private static Optional<JsonObject> parsed(String text) {
        try {
            JsonObject object = JsonObject.of(text);
            object.members();
            return Optional.of(object);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Ends waits for tasks. Closing again has no effect. */
    @Override
    public void close() {
        tasks.close();
        http.shutdownNow();
    }

    /** Returns the address of the server, without parts that could be secret. */
    @Override
    public String toString() {
        return "%s://%s".formatted(url.getScheme(), url.getAuthority().replaceFirst("^.*@", ""));
    }
}
