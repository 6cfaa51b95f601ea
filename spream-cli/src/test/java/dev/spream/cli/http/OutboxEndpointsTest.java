package dev.spream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.HttpAddress;
import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.worker.OutboxListener;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class OutboxEndpointsTest {
    private final DrivenClock clock = new DrivenClock();
    private final OutboxEndpoints endpoints =
            new OutboxEndpoints(new HttpAddress("127.0.0.1", 0), "orders", PageParts.NONE, clock);
    private final HttpClient client = HttpClient.newHttpClient();
    private URI base = URI.create("http://127.0.0.1/");

    @BeforeEach
    void listen() throws IOException {
        base = URI.create(endpoints.listen());
    }

    @AfterEach
    void close() {
        endpoints.close();
        client.close();
    }

    @Test
    void a_worker_is_ready_while_it_runs_and_does_not_drain() throws Exception {
        assertAnswer("ready", 503, "starting");
        endpoints.running();
        assertAnswer("ready", 200, "running");
        assertAnswer("health", 200, "running");
        endpoints.draining();
        assertAnswer("ready", 503, "draining");
        assertAnswer("health", 200, "draining");
    }

    @Test
    void a_worker_that_failed_is_not_healthy() throws Exception {
        endpoints.running();
        endpoints.failed(new IllegalStateException("broken"));
        assertAnswer("ready", 503, "failed");
        assertAnswer("health", 503, "the worker has ended: IllegalStateException: broken");
    }

    @Test
    void a_store_that_has_failed_for_a_minute_is_not_healthy_until_it_answers() throws Exception {
        endpoints.running();
        storeFails();
        assertAnswer("health", 200, "running");
        clock.advance(OutboxHealth.STORE_TIMEOUT);
        storeFails();
        assertAnswer("health", 503, "the outbox cannot be reached since");
        endpoints.listeners().forEach(OutboxListener::storeAnswered);
        assertAnswer("health", 200, "running");
        clock.advance(OutboxHealth.STORE_TIMEOUT);
        storeFails();
        assertAnswer("health", 200, "running");
    }

    private void storeFails() {
        endpoints
                .listeners()
                .forEach(listener -> listener.storeFailed(new StorageException("no connection", true, null)));
    }

    @Test
    void meters_tell_what_was_sampled() throws Exception {
        assertThat(get("metrics").body()).contains("outbox_lag_seconds{outbox=\"orders\"} NaN");
        endpoints.sampled(new OutboxStats(
                Instant.EPOCH, Map.of(), 1, Optional.of(Instant.EPOCH.minusSeconds(7)), 0, 0, 0, Set.of(), Set.of()));
        assertThat(get("metrics").body())
                .contains("outbox_lag_seconds{outbox=\"orders\"} 7.0")
                .contains("jvm_memory_used_bytes");
    }

    private void assertAnswer(String path, int status, String text) throws Exception {
        HttpResponse<String> answer = get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).startsWith(text);
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(HttpRequest.newBuilder(base.resolve(path)).build(), BodyHandlers.ofString());
    }
}
