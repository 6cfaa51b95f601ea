package dev.spream.sinks.http;

import static dev.spream.sinks.http.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of requests, and of the outcome for each status. */
@Timeout(60)
final class HttpSenderTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    @Test
    void an_entry_is_the_json_body_of_a_post_with_its_key_in_a_header() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(204);
                HttpSender sender = HttpSender.builder(server.url("/orders?a=b"))
                        .authorization("Bearer t0ken")
                        .header("X-Api-Key", "k3y")
                        .build()) {
            sender.send(Entries.traced("order-17", Entries.TRACEPARENT), TIMEOUT);
            LoopbackServer.Request request = server.requests().getFirst();
            assertThat(request.method()).isEqualTo("POST");
            assertThat(request.path()).isEqualTo("/orders?a=b");
            assertThat(request.body()).isEqualTo(Entries.PAYLOAD);
            assertThat(request.header("Content-Type")).isEqualTo("application/json");
            assertThat(request.header("User-Agent")).isEqualTo("spream");
            assertThat(request.header("Idempotency-Key")).isEqualTo("order-17");
            assertThat(request.header("traceparent")).isEqualTo(Entries.TRACEPARENT);
            assertThat(request.header("Authorization")).isEqualTo("Bearer t0ken");
            assertThat(request.header("X-Api-Key")).isEqualTo("k3y");
            assertThat(request.headers()).doesNotContainKeys("Upgrade", "Http2-settings");
        }
    }

    @Test
    void it_can_be_put_where_its_key_says() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(200);
                HttpSender sender = HttpSender.builder(server.url("/orders/{key}?again={key}"))
                        .method(HttpSender.Method.PUT)
                        .build()) {
            sender.send(entry("a/b?c"), TIMEOUT);
            LoopbackServer.Request request = server.requests().getFirst();
            assertThat(request.method()).isEqualTo("PUT");
            assertThat(request.path()).isEqualTo("/orders/a%2Fb%3Fc?again=a%2Fb%3Fc");
            assertThat(request.body()).isEqualTo(Entries.PAYLOAD);
        }
    }

    @Test
    void one_that_was_requeued_has_another_key_and_one_that_comes_again_has_the_same() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(503);
                HttpSender sender = HttpSender.builder(server.url("/")).build()) {
            sender.send(entry("k", 1), TIMEOUT);
            sender.send(entry("k", 1), TIMEOUT);
            sender.send(entry("k", 2), TIMEOUT);
            assertThat(server.requests())
                    .extracting(request -> request.header("Idempotency-Key"))
                    .containsExactly("k", "k", "k~2");
        }
    }

    @Test
    void an_ordered_entry_tells_its_place_so_that_an_abandoned_request_can_be_refused_beside_later_ones()
            throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(200);
                HttpSender sender = HttpSender.builder(server.url("/")).build()) {
            sender.send(Entries.ordered(41, "a b"), TIMEOUT);
            sender.send(Entries.ordered(42, "k".repeat(8_000)), TIMEOUT);
            sender.send(Entries.ordered(43, "l" + "k".repeat(7_999)), TIMEOUT);
            sender.send(entry("unordered"), TIMEOUT);
            assertThat(server.requests())
                    .extracting(request -> request.header("Spream-Entry-Id"))
                    .containsExactly("41", "42", "43", "1");
            List<String> keys = server.requests().stream()
                    .map(request -> request.header("Spream-Ordering-Key"))
                    .toList();
            assertThat(keys.getFirst()).isEqualTo("a%20b");
            assertThat(keys.get(1)).startsWith("sha256:").hasSizeLessThan(100).isNotEqualTo(keys.get(2));
            assertThat(server.requests().getLast().headers()).doesNotContainKey("Spream-ordering-key");
        }
    }

    @Test
    void the_type_and_destination_of_an_entry_are_headers_for_routing() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(200);
                HttpSender sender = HttpSender.builder(server.url("/")).build()) {
            sender.send(Entries.routed("order placed", "mail"), TIMEOUT);
            sender.send(entry("plain"), TIMEOUT);
            LoopbackServer.Request routed = server.requests().getFirst();
            assertThat(routed.header("Spream-Payload-Type")).isEqualTo("order%20placed");
            assertThat(routed.header("Spream-Destination")).isEqualTo("mail");
            assertThat(server.requests().getLast().headers())
                    .doesNotContainKeys("Spream-payload-type", "Spream-destination");
        }
    }

    @Test
    void a_traceparent_that_no_header_can_hold_is_left_out() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(200);
                HttpSender sender = HttpSender.builder(server.url("/")).build()) {
            assertThat(sender.send(Entries.traced("k", "00-\nX: y"), TIMEOUT))
                    .isInstanceOf(SendOutcome.Succeeded.class);
            assertThat(server.requests().getFirst().headers()).doesNotContainKeys("Traceparent", "X");
        }
    }

    @Test
    void the_ledger_keeps_the_status_and_the_json_of_a_success() throws Exception {
        for (int status : List.of(200, 201, 202, 203, 299)) {
            assertThat(answer(status, "{\"orderId\": 5}"))
                    .asInstanceOf(type(SendOutcome.Succeeded.class))
                    .extracting(SendOutcome.Succeeded::result)
                    .returns(status, LedgerResult::httpStatus)
                    .returns(Optional.of("{\"orderId\": 5}"), LedgerResult::responsePayload);
        }
        assertThat(answer(204, ""))
                .asInstanceOf(type(SendOutcome.Succeeded.class))
                .extracting(SendOutcome.Succeeded::result)
                .returns(204, LedgerResult::httpStatus)
                .returns(Optional.empty(), LedgerResult::responsePayload);
    }

    @Test
    void an_answer_that_is_too_long_is_not_kept_and_a_success_all_the_same() throws Exception {
        String fits = "\"" + "x".repeat(ResponseText.MAX_BYTES - 2) + "\"";
        assertThat(kept(fits)).contains(fits);
        assertThat(kept(fits + " ")).isEmpty();
    }

    private static Optional<String> kept(String body) throws Exception {
        return ((SendOutcome.Succeeded) answer(200, body)).result().responsePayload();
    }

    private static SendOutcome answer(int status, String body) throws Exception {
        try (LoopbackServer server =
                        LoopbackServer.start((exchange, request) -> LoopbackServer.respond(exchange, status, body));
                HttpSender sender = HttpSender.builder(server.url("/")).build()) {
            return sender.send(entry("k"), TIMEOUT);
        }
    }

    @Test
    void every_row_of_the_table_holds() throws Exception {
        Map<String, List<Integer>> rows = new TreeMap<>();
        for (int status = 300; status <= 599; status++) {
            rows.computeIfAbsent(words(answered(status)), row -> new ArrayList<>())
                    .add(status);
        }
        assertThat(rows.remove("Permanent INVALID_REQUEST")).containsExactly(400, 406, 411, 413, 414, 415, 417, 431);
        assertThat(rows.remove("Retryable UNAVAILABLE"))
                .containsExactly(301, 307, 308, 404, 405, 421, 425, 426, 501, 503, 505);
        assertThat(rows.remove("Retryable UNAUTHORIZED")).containsExactly(401, 403, 407, 511);
        assertThat(rows.remove("Retryable TIMEOUT")).containsExactly(408);
        assertThat(rows.remove("Retryable RATE_LIMITED")).containsExactly(429);
        assertThat(rows.remove("Unknown TIMEOUT")).containsExactly(504);
        assertThat(rows.remove("Permanent REJECTED"))
                .hasSize(81) // of the hundred, all that have no other row
                .contains(402, 410, 422, 451, 499)
                .allMatch(status -> status / 100 == 4);
        assertThat(rows.remove("Unknown OUTCOME_UNKNOWN"))
                .contains(300, 302, 303, 304, 409, 500, 502, 599)
                .allMatch(status -> status == 409 || status / 100 == 3 || status / 100 == 5);
        assertThat(rows).isEmpty();
    }

    private static SendOutcome answered(int status) {
        UrlTemplate url = UrlTemplate.parse("url", "https://broker.example.com/p4th");
        return Answers.judge(new SendResponseMapper(url, StatusTable.DEFAULT, () -> Instant.EPOCH), status);
    }

    private static String words(SendOutcome outcome) {
        return switch (outcome) {
            case SendOutcome.Succeeded success -> "Succeeded";
            case SendOutcome.Retryable(ReasonCode reason, String message, Optional<Duration> after) ->
                "Retryable " + reason;
            case SendOutcome.Permanent(ReasonCode reason, String message) -> "Permanent " + reason;
            case SendOutcome.Unknown(ReasonCode reason, String message) -> "Unknown " + reason;
        };
    }

    @Test
    void a_status_comes_through_from_the_server_and_no_redirect_is_followed() throws Exception {
        Map<Integer, String> expected = Map.of(
                301, "Retryable UNAVAILABLE",
                302, "Unknown OUTCOME_UNKNOWN",
                401, "Retryable UNAUTHORIZED",
                407, "Retryable UNAUTHORIZED",
                409, "Unknown OUTCOME_UNKNOWN",
                422, "Permanent REJECTED",
                500, "Unknown OUTCOME_UNKNOWN",
                503, "Retryable UNAVAILABLE");
        for (Map.Entry<Integer, String> row : expected.entrySet()) {
            try (LoopbackServer server = LoopbackServer.start((exchange, request) -> {
                        exchange.getResponseHeaders().set("Location", "/elsewhere");
                        LoopbackServer.respond(exchange, row.getKey(), "{\"no\": 1}");
                    });
                    HttpSender sender = HttpSender.builder(server.url("/")).build()) {
                assertThat(words(sender.send(entry("k"), TIMEOUT)))
                        .as("%d", row.getKey())
                        .isEqualTo(row.getValue());
                assertThat(server.requests()).hasSize(1);
            }
        }
    }

    @Test
    void a_status_can_be_said_to_mean_something_else() throws Exception {
        try (LoopbackServer server = LoopbackServer.start((exchange, request) ->
                        LoopbackServer.respond(exchange, Integer.parseInt(request.header("Idempotency-Key")), ""));
                HttpSender sender = HttpSender.builder(server.url("/"))
                        .permanentStatuses(Set.of(409, 404))
                        .retryableStatuses(Set.of(418))
                        .unknownStatuses(Set.of(503, 202))
                        .build()) {
            assertThat(words(sender.send(entry("409"), TIMEOUT))).isEqualTo("Permanent REJECTED");
            assertThat(words(sender.send(entry("404"), TIMEOUT))).isEqualTo("Permanent REJECTED");
            assertThat(words(sender.send(entry("418"), TIMEOUT))).isEqualTo("Retryable UNAVAILABLE");
            assertThat(words(sender.send(entry("503"), TIMEOUT))).isEqualTo("Unknown OUTCOME_UNKNOWN");
            assertThat(words(sender.send(entry("202"), TIMEOUT))).isEqualTo("Unknown OUTCOME_UNKNOWN");
            assertThat(words(sender.send(entry("200"), TIMEOUT))).isEqualTo("Succeeded");
        }
        assertThatThrownBy(() -> HttpSender.builder("https://a/")
                        .retryableStatuses(Set.of(409))
                        .unknownStatuses(Set.of(409)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the status 409 is configured with two meanings");
        assertThatThrownBy(() -> HttpSender.builder("https://a/").permanentStatuses(Set.of(200)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("status is 200, must be 201 to 599");
    }

    @Test
    void a_server_that_says_when_to_come_back_is_believed_within_bounds() throws Exception {
        assertThat(after(503, "7")).contains(Duration.ofSeconds(7));
        assertThat(after(429, "999999999")).contains(RetryAfter.MAX);
        assertThat(after(425, "Wed, 21 Oct 2015 07:28:00 GMT")).contains(Duration.ZERO);
        assertThat(after(408, "soon")).isEmpty();
    }

    private static Optional<Duration> after(int status, String header) throws Exception {
        try (LoopbackServer server = LoopbackServer.start((exchange, request) -> {
                    exchange.getResponseHeaders().set("Retry-After", header);
                    LoopbackServer.respond(exchange, status, "");
                });
                HttpSender sender = HttpSender.builder(server.url("/")).build()) {
            return ((SendOutcome.Retryable) sender.send(entry("k"), TIMEOUT)).after();
        }
    }

    @Test
    void nothing_secret_and_nothing_of_a_payload_or_an_answer_is_shown() throws Exception {
        for (int status : List.of(200, 301, 302, 400, 401, 404, 409, 500, 503)) {
            try (LogLines logged = new LogLines("dev.spream");
                    LoopbackServer server = LoopbackServer.start(
                            (exchange, request) -> LoopbackServer.respond(exchange, status, "{\"s3cr3t-answer\": 1}"));
                    HttpSender sender = HttpSender.builder(server.url("/s3cr3t-path?token=s3cr3t-query"))
                            .authorization("Bearer s3cr3t-token")
                            .header("X-Api-Key", "s3cr3t-key")
                            .guarantee(Guarantee.QUERYABLE)
                            .queryUrl(server.url("/s3cr3t-path/{key}"))
                            .build()) {
                String shown = sender.send(entry("s3cr3t-id"), TIMEOUT) + " "
                        + sender.query(entry("s3cr3t-id"), TIMEOUT) + " " + sender + logged.lines();
                assertThat(shown).doesNotContain("s3cr3t").contains("http to http://127.0.0.1:");
            }
        }
    }
}
