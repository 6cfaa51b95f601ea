package dev.spream.sinks.http;

import static dev.spream.sinks.SinkChanges.DELIVERY;
import static dev.spream.sinks.SinkChanges.inserted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpExchange;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.api.spi.RetryAfterException;
import dev.spream.sinks.TestConfig;
import dev.spream.sinks.TestContext;
import dev.spream.testkit.LogLines;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WebhookSinkTest {
    private static final String TOKEN = "Bearer s3cr3t-token";
    private static final String KEY = "k3y-value";

    @Test
    void a_change_is_the_body_of_a_post_with_its_identity_in_a_header() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(204);
                WebhookSink sink = sink(server.url("/hook?a=b"), Map.of())) {
            sink.consume(inserted(1, "\u4e16"), DELIVERY);
            LoopbackServer.Request request = server.requests().getFirst();
            assertThat(request.method()).isEqualTo("POST");
            assertThat(request.path()).isEqualTo("/hook?a=b");
            assertThat(request.body()).isEqualTo(inserted(1, "\u4e16").toJson());
            assertThat(request.header("Content-Type")).isEqualTo("application/json");
            assertThat(request.header("User-Agent")).isEqualTo("spream");
            assertThat(request.header("Idempotency-Key"))
                    .isEqualTo(inserted(1, "1").identity().toString());
            assertThat(request.header("Spream-Table")).isEqualTo("Orders");
            assertThat(request.header("Spream-Mod-Type")).isEqualTo("INSERT");
            assertThat(request.header("Spream-Commit-Timestamp")).isEqualTo("2026-01-01T00:00:01.000000000Z");
            assertThat(request.header("Spream-Record-Sequence")).isEqualTo("00000000");
            assertThat(request.header("Spream-Partition")).isEqualTo("partition-0123456789");
            assertThat(request.header("Spream-Epoch")).isEqualTo("1");
            assertThat(request.headers()).doesNotContainKeys("Authorization", "Upgrade");
        }
    }

    @Test
    void authorization_and_more_headers_are_sent() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(200);
                WebhookSink sink = sink(
                        server.url("/"),
                        Map.of("authorization", TOKEN, "headers", "X-Api-Key: " + KEY + ", X-Team:a b"))) {
            sink.consume(inserted(1, "1"), DELIVERY);
            LoopbackServer.Request request = server.requests().getFirst();
            assertThat(request.header("Authorization")).isEqualTo(TOKEN);
            assertThat(request.header("X-Api-Key")).isEqualTo(KEY);
            assertThat(request.header("X-Team")).isEqualTo("a b");
        }
    }

    @Test
    void two_hundred_and_something_settles_and_other_statuses_do_not() throws Exception {
        for (int status : List.of(200, 201, 202, 204, 299)) {
            assertThat(outcome(status)).as("status %d", status).isNull();
        }
        for (int status : List.of(400, 409, 410, 413, 415, 422)) {
            assertThat(outcome(status)).as("status %d", status).isInstanceOf(NonRetryableException.class);
        }
        for (int status : List.of(
                301, 302, 304, 307, 308, 401, 402, 403, 404, 405, 407, 408, 421, 425, 429, 451, 500, 501, 502, 503, 504,
                599)) {
            assertThat(outcome(status))
                    .as("status %d", status)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("responded with status %d to the change 2026-01-01T00:00:01Z/tx1/", status);
        }
    }

    @Test
    void a_status_that_is_about_the_receiver_says_what_to_look_at() throws Exception {
        for (int status : List.of(401, 403, 407)) {
            assertThat(outcome(status)).hasMessageContaining("check sink.webhook.authorization");
        }
        assertThat(outcome(404)).hasMessageEndingWith("; check sink.webhook.url, and whether the receiver is deployed");
        assertThat(outcome(308)).hasMessageEndingWith("; redirects are not followed, check sink.webhook.url");
    }

    private static Throwable outcome(int status) throws Exception {
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> {
                    exchange.getResponseHeaders().set("Location", "/elsewhere");
                    LoopbackServer.respond(exchange, status, "");
                });
                WebhookSink sink = sink(server.url("/"), Map.of())) {
            Throwable thrown = catchThrowable(() -> sink.consume(inserted(1, "1"), DELIVERY));
            assertThat(server.requests()).as("no redirect is followed").hasSize(1);
            return thrown;
        }
    }

    @Test
    void a_server_that_says_when_to_come_back_is_believed_within_bounds() throws Exception {
        assertThat(delay("7")).isEqualTo(Duration.ofSeconds(7));
        assertThat(delay("0")).isEqualTo(Duration.ZERO);
        assertThat(delay("999999999")).isEqualTo(RetryAfter.MAX);
        Instant soon = Instant.now().plusSeconds(100);
        assertThat(delay(DateTimeFormatter.RFC_1123_DATE_TIME.format(soon.atZone(ZoneOffset.UTC))))
                .isBetween(Duration.ofSeconds(60), Duration.ofSeconds(100));
        assertThat(delay("Wed, 21 Oct 2015 07:28:00 GMT")).isEqualTo(Duration.ZERO);
        assertThat(retryAfter("soon")).isExactlyInstanceOf(IOException.class);
        assertThat(retryAfter("-1")).isExactlyInstanceOf(IOException.class);
    }

    private static Duration delay(String retryAfter) throws Exception {
        return ((RetryAfterException) retryAfter(retryAfter)).delay();
    }

    private static Throwable retryAfter(String header) throws Exception {
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> {
                    exchange.getResponseHeaders().set("Retry-After", header);
                    LoopbackServer.respond(exchange, 503, "");
                });
                WebhookSink sink = sink(server.url("/"), Map.of())) {
            return catchThrowable(() -> sink.consume(inserted(1, "1"), DELIVERY));
        }
    }

    @Test
    void a_change_that_comes_again_has_the_same_key() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(500);
                WebhookSink sink = sink(server.url("/"), Map.of())) {
            assertThatThrownBy(() -> sink.consume(inserted(1, "1"), DELIVERY)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> sink.consume(inserted(1, "1"), DELIVERY)).isInstanceOf(IOException.class);
            assertThatThrownBy(() -> sink.consume(inserted(2, "1"), DELIVERY)).isInstanceOf(IOException.class);
            List<String> keys = server.requests().stream()
                    .map(request -> request.header("Idempotency-Key"))
                    .toList();
            assertThat(keys.get(1)).isEqualTo(keys.get(0)).isNotEqualTo(keys.get(2));
        }
    }

    @Test
    void an_answer_that_does_not_come_in_time_is_worth_another_attempt() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> end.await());
                WebhookSink sink = sink(server.url("/"), Map.of("timeout", "300ms"))) {
            assertThatThrownBy(() -> sink.consume(inserted(1, "1"), DELIVERY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("did not respond")
                    .hasCauseInstanceOf(TimeoutException.class);
        } finally {
            end.countDown();
        }
    }

    @Test
    void a_body_that_never_ends_counts_against_the_time_or_is_cut_off() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> trickle(exchange, end));
                WebhookSink sink = sink(server.url("/"), Map.of("timeout", "300ms"))) {
            assertThatThrownBy(() -> sink.consume(inserted(1, "1"), DELIVERY)).hasMessageContaining("did not respond");
        } finally {
            end.countDown();
        }
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> flood(exchange));
                WebhookSink sink = sink(server.url("/"), Map.of())) {
            assertThatCode(() -> sink.consume(inserted(1, "1"), DELIVERY)).doesNotThrowAnyException();
        }
    }

    private static void trickle(HttpExchange exchange, CountDownLatch end) throws Exception {
        exchange.sendResponseHeaders(200, 0);
        exchange.getResponseBody().write('x');
        exchange.getResponseBody().flush();
        end.await();
    }

    private static void flood(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        byte[] block = new byte[1 << 14];
        try (OutputStream out = exchange.getResponseBody()) {
            while (true) {
                out.write(block);
            }
        }
    }

    @Test
    void a_connection_that_is_cut_or_refused_is_worth_another_attempt() throws Exception {
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> {
                    throw new IOException("cut");
                });
                WebhookSink sink = sink(server.url("/"), Map.of())) {
            assertThatThrownBy(() -> sink.consume(inserted(1, "1"), DELIVERY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("could not be posted to http://127.0.0.1:");
        }
        int free;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = socket.getLocalPort();
        }
        try (WebhookSink sink = sink("http://127.0.0.1:" + free + "/", Map.of())) {
            assertThatThrownBy(() -> sink.consume(inserted(1, "1"), DELIVERY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("ConnectException");
        }
    }

    @Test
    void an_interrupt_aborts_the_request_and_so_does_the_end_of_its_time() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "http://127.0.0.1:" + server.getLocalPort() + "/";
            try (WebhookSink sink = sink(url, Map.of("timeout", "10m"))) {
                AtomicReference<Throwable> thrown = new AtomicReference<>();
                Thread caller = Thread.ofVirtual()
                        .start(() -> thrown.set(catchThrowable(() -> sink.consume(inserted(1, "1"), DELIVERY))));
                try (Socket connection = server.accept()) {
                    assertThat(connection.getInputStream().read()).isEqualTo('P');
                    caller.interrupt();
                    assertThat(caller.join(Duration.ofSeconds(30))).isTrue();
                    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
                    awaitEnd(connection);
                }
            }
            try (WebhookSink sink = sink(url, Map.of("timeout", "2s"))) {
                AtomicReference<Throwable> thrown = new AtomicReference<>();
                Thread caller = Thread.ofVirtual()
                        .start(() -> thrown.set(catchThrowable(() -> sink.consume(inserted(1, "1"), DELIVERY))));
                try (Socket connection = server.accept()) {
                    awaitEnd(connection);
                }
                assertThat(caller.join(Duration.ofSeconds(30))).isTrue();
                assertThat(thrown.get()).hasCauseInstanceOf(TimeoutException.class);
            }
        }
    }

    /** Reads on until the other side has closed the connection, or reset it. */
    private static void awaitEnd(Socket connection) throws IOException {
        connection.setSoTimeout(30_000);
        try {
            connection.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (SocketTimeoutException e) {
            throw new IOException("the connection is still open", e);
        } catch (SocketException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    @Test
    void nothing_secret_and_nothing_of_a_row_is_shown() throws Exception {
        try (LogLines logged = new LogLines("dev.spream");
                LoopbackServer server = LoopbackServer.start(
                        (exchange, request) -> LoopbackServer.respond(exchange, 400, "no: " + request.body()));
                WebhookSink sink = sink(
                        server.url("/p4th?token=qu3ry"),
                        Map.of("authorization", TOKEN, "headers", "X-Api-Key: " + KEY))) {
            Throwable thrown = catchThrowable(() -> sink.consume(inserted(1, "alice"), DELIVERY));
            assertThat(thrown).isInstanceOf(NonRetryableException.class);
            assertThat(thrown + " " + sink + logged.lines())
                    .doesNotContain("s3cr3t", KEY, "p4th", "qu3ry", "alice", "secret note");
        }
    }

    @Test
    void secrets_that_would_go_unencrypted_over_a_network_are_warned_of() throws Exception {
        try (LogLines logged = new LogLines(WebhookTarget.class.getName())) {
            sink("http://hooks.example.com/p4th", Map.of("authorization", TOKEN))
                    .close();
            sink("http://[::1]:8080/", Map.of("authorization", TOKEN)).close();
            sink("https://hooks.example.com/", Map.of("authorization", TOKEN)).close();
            assertThat(logged.lines())
                    .containsExactly("WARN changes and secrets go to http://hooks.example.com unencrypted; use https");
        }
    }

    @Test
    void invalid_settings_are_refused_without_being_shown() {
        assertThatThrownBy(() -> sink("https://user:s3cr3t@example.com/", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("url: user and password do not belong in it")
                .hasMessageNotContaining("s3cr3t");
        assertThatThrownBy(() -> sink("https://example.com/#part", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("url: the part from # on");
        assertThatThrownBy(() -> sink(
                        "https://example.com/",
                        Map.of(
                                "authorization",
                                "Bearer s3cr3t\nX: y",
                                "headers",
                                "s3cr3t,Host: s3cr3t,X-A:,X-B: 1,x-b: 2,Bad Name: s3cr3t,X-C: \u4e16")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("s3cr3t")
                .hasMessage("authorization: contains characters that a header cannot have, such as a line end; "
                        + "headers: number 1 is not of the form Name: value; "
                        + "headers: Host is set by spream itself, or by the protocol; "
                        + "headers: the value of X-A is empty, or has characters that a header cannot have; "
                        + "headers: x-b is configured twice, or is also set by authorization; "
                        + "headers: number 6 is not of the form Name: value; "
                        + "headers: the value of X-C is empty, or has characters that a header cannot have");
    }

    private static WebhookSink sink(String url, Map<String, String> more) {
        Map<String, String> values = new HashMap<>(more);
        values.put("url", url);
        WebhookSinkProvider provider = new WebhookSinkProvider();
        return (WebhookSink) provider.create(TestConfig.of(provider, values), new TestContext());
    }
}
