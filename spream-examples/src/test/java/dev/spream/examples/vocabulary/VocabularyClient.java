package dev.spream.examples.vocabulary;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.spream.examples.fault.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Talks to a vocabulary service as its users do. */
final class VocabularyClient implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    record Reply(int status, String body) {
        JsonObject json() {
            return JsonParser.parseString(body).getAsJsonObject();
        }

        Reply expect(int expected) {
            assertThat(status).as(body).isEqualTo(expected);
            return this;
        }

        long version() {
            return json().get("version").getAsLong();
        }

        String text(String member) {
            return json().get(member).getAsString();
        }
    }

    Reply get(URI base, String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(base + path)).GET());
    }

    Reply command(URI base, String method, String path, String key, String body)
            throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create(base + path))
                .header("Idempotency-Key", key)
                .header("X-User-Id", "u-1")
                .method(method, BodyPublishers.ofString(body)));
    }

    Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
        request.setHeader("Content-Type", "application/json").timeout(Duration.ofSeconds(20));
        HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
        return new Reply(response.statusCode(), response.body());
    }

    /** Asks until the answer is as wanted, and fails with the last one after a minute. */
    Reply await(URI base, String path, Predicate<JsonElement> wanted) throws IOException, InterruptedException {
        Instant end = Instant.now().plus(TIMEOUT);
        while (true) {
            Reply reply = get(base, path);
            if (reply.status() == 200 && wanted.test(reply.json())) {
                return reply;
            }
            assertThat(Instant.now()).as("%s: %s", path, reply.body()).isBefore(end);
            Thread.sleep(50);
        }
    }

    /** Searches for everything until that is found, as id and definition; 1,000 at most. */
    void awaitItems(URI base, Set<String> items) throws Exception {
        Await.until(
                TIMEOUT, () -> items(base).equals(items), () -> "found %s, must be %s".formatted(items(base), items));
    }

    private Set<String> items(URI base) throws IOException, InterruptedException {
        Set<String> items = new TreeSet<>();
        for (JsonElement found :
                get(base, "/search?limit=1000").expect(200).json().getAsJsonArray("results")) {
            JsonObject item = found.getAsJsonObject();
            items.add(item.get("item_id").getAsString() + "|"
                    + item.get("definition").getAsString());
        }
        return items;
    }

    @Override
    public void close() {
        client.close();
    }
}
