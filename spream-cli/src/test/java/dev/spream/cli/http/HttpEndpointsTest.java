package dev.spream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.HttpAddress;
import dev.spream.core.record.JsonObject;
import java.io.IOException;
import java.math.BigDecimal;
import java.net.BindException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class HttpEndpointsTest {
    private final DrivenClock clock = new DrivenClock();
    private final WatchedStorage watched = new WatchedStorage();
    private final HttpEndpoints endpoints =
            new HttpEndpoints(new HttpAddress("127.0.0.1", 0), "orders", PageParts.NONE, clock);
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

    @ParameterizedTest
    @CsvSource({
        "/, text/html",
        "/index.html, text/html",
        "/app.js, text/javascript",
        "/style.css, text/css",
        "/health, text/plain",
        "/metrics, text/plain",
        "/api/subscription, application/json",
        "/api/lag, application/json",
        "/api/page, application/json"
    })
    void each_path_answers_with_its_type_and_guards_against_browsers(String path, String contentType) throws Exception {
        HttpResponse<String> answer = get(path);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isNotEmpty();
        assertThat(header(answer, "Content-Type")).startsWith(contentType).contains("charset=utf-8");
        assertThat(header(answer, "Content-Security-Policy")).startsWith("default-src 'self'");
        assertThat(header(answer, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nothing",
                "/health/",
                "/page/",
                "/page/index.html",
                "/../pom.xml",
                "/%2e%2e/pom.xml",
                "/index.html/..",
                "/HttpEndpoints.class",
                "/api",
                "/api/",
                "/api/outbox",
                "/api/dead-letters/replay"
            })
    void nothing_else_is_served(String path) throws Exception {
        assertThat(get(path).statusCode()).isEqualTo(404);
    }

    @Test
    void only_reading_is_allowed() throws Exception {
        HttpResponse<String> head = send(request("/health").method("HEAD", BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(header(head, "Content-Length"))
                .isEqualTo(Integer.toString(get("/health").body().length()));
        for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "PATCH")) {
            HttpResponse<String> refused = send(request("/health").method(method, BodyPublishers.ofString("{}")));
            assertThat(refused.statusCode()).as(method).isEqualTo(405);
            assertThat(header(refused, "Allow")).isEqualTo("GET, HEAD");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "LOCALHOST:8080, 200",
        "127.0.0.1, 200",
        "[::1]:80, 200",
        "evil.example, 421",
        "127.0.0.1.evil.example, 421",
        "localhost.evil.example:80, 421",
        "'', 421"
    })
    void a_name_that_was_made_to_point_here_is_refused(String host, int status) throws IOException {
        assertThat(rawStatus("GET /health HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
                .contains(" " + status + " ");
    }

    @Test
    void an_endpoint_on_all_interfaces_accepts_any_host_name() throws Exception {
        try (HttpEndpoints open = new HttpEndpoints(new HttpAddress("0.0.0.0", 0), "orders", PageParts.NONE, clock)) {
            base = URI.create(open.listen());
            assertThat(base.getHost()).isEqualTo("127.0.0.1");
            assertThat(rawStatus("GET /health HTTP/1.1\r\nHost: pod-7.example\r\nConnection: close\r\n\r\n"))
                    .contains(" 200 ");
        }
    }

    @Test
    void a_port_that_is_in_use_cannot_be_listened_on() {
        try (HttpEndpoints second =
                new HttpEndpoints(new HttpAddress("127.0.0.1", base.getPort()), "orders", PageParts.NONE, clock)) {
            assertThatThrownBy(second::listen).isInstanceOf(BindException.class);
        }
    }

    @Test
    void it_is_ready_from_the_start_of_the_subscription_to_the_beginning_of_its_end() throws Exception {
        assertThat(get("/ready").statusCode()).isEqualTo(503);
        assertThat(get("/ready").body()).isEqualTo("starting\n");
        assertThat(get("/health").statusCode()).isEqualTo(200);
        try (HeldSubscription running = held()) {
            assertThat(get("/ready").statusCode()).isEqualTo(200);
            endpoints.draining();
            assertThat(get("/ready").body()).isEqualTo("draining\n");
            assertThat(get("/health").statusCode()).isEqualTo(200);
            assertThat(running).isNotNull();
        }
        assertThat(get("/ready").statusCode()).isEqualTo(503);
        assertThat(get("/ready").body()).isEqualTo("ended\n");
        assertThat(get("/health").statusCode()).isEqualTo(200);
    }

    @Test
    void a_subscription_that_failed_is_not_healthy() throws Exception {
        endpoints.failed(new IllegalStateException("the sink is gone"));

        HttpResponse<String> answer = get("/health");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("the subscription has ended", "the sink is gone");
    }

    @Test
    void the_subscription_is_shown_with_its_tree_its_counts_and_its_failures() throws Exception {
        try (HeldSubscription running = held()) {
            JsonObject shown = subscription();

            assertThat(running).isNotNull();
            assertThat(shown.string("subscription")).contains("orders");
            assertThat(shown.string("stream")).contains("Orders");
            assertThat(shown.string("phase")).contains("running");
            assertThat(shown.string("low_watermark")).isPresent();
            assertThat(shown.has("lag_seconds")).isTrue();
            assertThat(shown.objects("workers")).hasSize(1);
            assertThat(shown.objects("partitions"))
                    .extracting(partition -> partition.string("token").orElseThrow())
                    .containsExactlyInAnyOrder("Parent0", "a", "b", "c");
            JsonObject finished = partition(shown, "a");
            assertThat(finished.string("state")).contains("FINISHED");
            assertThat(finished.string("end_kind")).contains("CHILD_PARTITIONS");
            assertThat(finished.get("children")).isEqualTo(List.of("b", "c"));
            JsonObject live = partition(shown, "b");
            assertThat(live.get("mine")).isEqualTo(true);
            assertThat(live.get("parents")).isEqualTo(List.of("a"));
            assertThat(live.string("owner")).isEqualTo(shown.string("worker"));
            assertThat(live.string("watermark")).contains("2026-01-01T10:00:04Z");
            JsonObject counts = shown.object("counts").orElseThrow();
            assertThat(counts.int64("consumed")).hasValue(3);
            assertThat(counts.int64("retries")).hasValue(1);
            assertThat(counts.int64("acquired")).hasValue(4);
            assertThat(shown.objects("failures").getFirst().string("message").orElseThrow())
                    .startsWith("IllegalStateException on attempt 1 for a change of Accounts");
            JsonObject change =
                    shown.objects("failures").getFirst().object("change").orElseThrow();
            assertThat(change.string("table")).contains("Accounts");
            assertThat(change.string("mod_type")).isPresent();
            assertThat(change.string("commit_timestamp")).contains("2026-01-01T10:00:01Z");
            assertThat(change.string("server_transaction_id")).isPresent();
            assertThat(change.string("record_sequence")).isPresent();
            assertThat(change.int64("attempt")).hasValue(1);
            assertThat(change.string("error")).contains("IllegalStateException");
            assertThat(change.string("decision")).contains("retry in 0 s");
        }
    }

    @Test
    void nothing_shows_what_changes_hold() throws Exception {
        try (HeldSubscription running = held()) {
            assertThat(running).isNotNull();
            for (String path : List.of("/api/subscription", "/api/lag", "/api/page", "/metrics", "/health", "/ready")) {
                assertThat(get(path).body()).doesNotContain(HeldSubscription.KEY, HeldSubscription.MESSAGE);
            }
        }
    }

    @Test
    void a_page_without_panels_and_token_has_no_commands() throws Exception {
        JsonObject page = JsonObject.of(get("/api/page").body());

        assertThat(page.string("kind")).contains("subscription");
        assertThat(page.string("name")).contains("orders");
        assertThat(page.get("subscription")).isEqualTo(true);
        assertThat(page.get("commands")).isEqualTo(false);
        assertThat(page.objects("panels")).isEmpty();
    }

    @Test
    void the_lag_of_each_held_partition_is_kept_by_second() throws Exception {
        try (HeldSubscription running = held()) {
            assertThat(running).isNotNull();
            endpoints.look();

            JsonObject lag = JsonObject.of(get("/api/lag").body());

            assertThat(lag.get("times")).isEqualTo(List.of("2026-01-01T11:00:00Z"));
            assertThat(lag.objects("partitions"))
                    .extracting(partition -> partition.string("token").orElseThrow())
                    .containsExactly("b", "c");
            assertThat(lag.objects("partitions").getFirst().get("lag")).isEqualTo(List.of(new BigDecimal("3596.000")));
        }
    }

    @Test
    void concurrent_requests_query_the_storage_once_a_second() throws Exception {
        try (HeldSubscription running = held()) {
            assertThat(running).isNotNull();
            watched.looks.set(0); // the run has looked before it began
            List<CompletableFuture<HttpResponse<String>>> viewers = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                viewers.add(client.sendAsync(request("/api/subscription").GET().build(), BodyHandlers.ofString()));
            }
            viewers.forEach(viewer -> assertThat(viewer.join().body()).contains("\"token\":\"b\""));
            assertThat(watched.looks).hasValue(1);

            clock.advance(Duration.ofMillis(999));
            subscription();
            assertThat(watched.looks).hasValue(1);

            clock.advance(Duration.ofMillis(1));
            subscription();
            assertThat(watched.looks).hasValue(2);
        }
    }

    @Test
    void a_storage_that_is_down_leaves_the_last_state_with_its_age_and_the_reason() throws Exception {
        try (HeldSubscription running = held()) {
            assertThat(running).isNotNull();
            subscription();
            watched.broken = true;
            clock.advance(Duration.ofSeconds(7));

            JsonObject shown = subscription();

            assertThat(shown.string("storage_error").orElseThrow()).contains("the database is away");
            assertThat(shown.string("read_age_seconds")).contains("7.000");
            assertThat(shown.objects("partitions")).hasSize(4);

            watched.broken = false;
            clock.advance(Duration.ofSeconds(1));
            assertThat(subscription().has("storage_error")).isFalse();
        }
    }

    @Test
    void a_hanging_storage_delays_no_request_for_long() throws Exception {
        try (HeldSubscription running = held()) {
            assertThat(running).isNotNull();
            CountDownLatch release = new CountDownLatch(1);
            watched.hanging = release;
            try {
                JsonObject shown = subscription();

                assertThat(shown.string("storage_error")).contains("the storage has not answered yet");
                assertThat(shown.objects("partitions")).isEmpty();
                assertThat(shown.string("phase")).contains("running");
            } finally {
                release.countDown();
            }
        }
    }

    @Test
    void an_ended_subscription_is_still_shown() throws Exception {
        held().close();

        JsonObject shown = subscription();

        assertThat(shown.string("phase")).contains("ended");
        assertThat(shown.objects("partitions"))
                .hasSize(4)
                .allSatisfy(partition -> assertThat(partition.get("mine")).isEqualTo(false));
        assertThat(get("/metrics").body()).contains("spream_deliveries_total").doesNotContain("spream_lag_seconds{");
    }

    @Test
    void closing_does_not_wait_for_open_connections() throws Exception {
        try (HeldSubscription running = held();
                Socket idle = new Socket(base.getHost(), base.getPort())) {
            assertThat(running).isNotNull();
            idle.getOutputStream().write("GET /health HT".getBytes(StandardCharsets.US_ASCII));
            endpoints.close();
            assertThatThrownBy(() -> get("/health")).isInstanceOf(IOException.class);
        }
    }

    private HeldSubscription held() throws InterruptedException {
        return HeldSubscription.start(watched.storage(), endpoints.listeners());
    }

    private JsonObject subscription() throws Exception {
        HttpResponse<String> answer = get("/api/subscription");
        assertThat(answer.statusCode()).isEqualTo(200);
        return JsonObject.of(answer.body());
    }

    private static JsonObject partition(JsonObject shown, String token) {
        return shown.objects("partitions").stream()
                .filter(partition ->
                        partition.string("token").filter(token::equals).isPresent())
                .findFirst()
                .orElseThrow();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path.substring(1))).timeout(Duration.ofSeconds(30));
    }

    private HttpResponse<String> get(String path) throws Exception {
        return send(request(path).GET());
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static String header(HttpResponse<?> answer, String name) {
        return answer.headers().firstValue(name).orElse("");
    }

    private String rawStatus(String request) throws IOException {
        try (Socket socket = new Socket(base.getHost(), base.getPort())) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return answer.lines().findFirst().orElse("");
        }
    }
}
