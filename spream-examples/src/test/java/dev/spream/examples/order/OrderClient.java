package dev.spream.examples.order;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Talks to an order service or a broker as a client does. Safe for use by many threads. */
final class OrderClient implements AutoCloseable {
    private final Duration timeout;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    /** @param timeout how long to wait for an answer */
    OrderClient(Duration timeout) {
        this.timeout = timeout;
    }

    /** A response. */
    record Reply(HttpResponse<String> response) {
        int status() {
            return response.statusCode();
        }

        JsonObject json() {
            return JsonParser.parseString(response.body()).getAsJsonObject();
        }

        String text(String member) {
            return json().get(member).getAsString();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    static String order(int quantity) {
        return """
                {"symbol": "7203", "side": "buy", "quantity": %d}""".formatted(quantity);
    }

    static String order(String account, int quantity) {
        return """
                {"symbol": "7203", "side": "buy", "quantity": %d, "account": "%s"}""".formatted(quantity, account);
    }

    Reply post(URI service, String key, String order) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(service.resolve("/do/order"))
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.ofString(order)));
    }

    Reply get(URI service, String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(service.resolve(path)));
    }

    Reply send(HttpRequest.Builder request) throws IOException, InterruptedException {
        request.setHeader("Content-Type", "application/json").timeout(timeout);
        return new Reply(http.send(request.build(), BodyHandlers.ofString()));
    }

    @Override
    public void close() {
        http.shutdownNow();
        http.close();
    }
}
