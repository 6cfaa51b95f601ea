package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.locks.LockSupport;

/** A client of the page of a process, as the browser is one. */
record PageClient(URI base, String token, HttpClient client) implements AutoCloseable {
    private static final long TIMEOUT_NANOS = 60_000_000_000L;

    PageClient(URI base, String token) {
        this(base, token, HttpClient.newHttpClient());
    }

    /** Waits for the state of a panel, which must have no error. */
    JsonObject state(String panel) throws Exception {
        JsonObject answer = await("api/" + panel, shown -> shown.has("state"));
        assertThat(answer.string("error")).as(panel).isEmpty();
        return answer.object("state").orElseThrow();
    }

    interface Condition {
        boolean holds(JsonObject answer);
    }

    JsonObject await(String path, Condition condition) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        JsonObject answer = JsonObject.of(get(path).body());
        while (!condition.holds(answer)) {
            assertThat(System.nanoTime()).as("%s: %s", path, answer).isLessThan(deadline);
            LockSupport.parkNanos(100_000_000);
            answer = JsonObject.of(get(path).body());
        }
        return answer;
    }

    void awaitFound(String path) throws Exception {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (read(path).statusCode() == 404) {
            assertThat(System.nanoTime()).as(path).isLessThan(deadline);
            LockSupport.parkNanos(100_000_000);
        }
    }

    JsonObject done(String command, String body) throws Exception {
        JsonObject outcome = answered(command, body);
        assertThat(outcome.get("done")).as("%s", outcome).isEqualTo(true);
        return outcome;
    }

    JsonObject answered(String command, String body) throws Exception {
        String named = body.replaceFirst("\\{", body.equals("{}") ? "{\"actor\":\"ann\"" : "{\"actor\":\"ann\",");
        HttpResponse<String> answer = post(command, named, token);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonObject.of(answer.body());
    }

    HttpResponse<String> post(String command, String body, String token) throws Exception {
        return client.send(command(command, body, token), BodyHandlers.ofString());
    }

    HttpRequest command(String command, String body, String token) {
        return HttpRequest.newBuilder(base.resolve("api/" + command))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    HttpResponse<String> read(String path) throws Exception {
        return client.send(HttpRequest.newBuilder(base.resolve(path)).build(), BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws Exception {
        HttpResponse<String> answer = read(path);
        assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
        return answer;
    }

    @Override
    public void close() {
        client.close();
    }
}
