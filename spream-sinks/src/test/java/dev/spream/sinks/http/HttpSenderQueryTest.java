package dev.spream.sinks.http;

import static dev.spream.sinks.http.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of queries to a receiver, and of their responses. */
@Timeout(60)
final class HttpSenderQueryTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static HttpSender.Builder queryable(String url) {
        return HttpSender.builder(url).guarantee(Guarantee.QUERYABLE).queryUrl(url + "{key}");
    }

    private static QueryOutcome query(int status, String body, UnaryOperator<HttpSender.Builder> more)
            throws Exception {
        try (LoopbackServer server =
                        LoopbackServer.start((exchange, request) -> LoopbackServer.respond(exchange, status, body));
                HttpSender sender =
                        more.apply(queryable(server.url("/orders/"))).build()) {
            return sender.query(entry("k"), TIMEOUT);
        }
    }

    private static QueryOutcome query(int status) throws Exception {
        return query(status, "", options -> options);
    }

    @Test
    void the_receiver_is_asked_for_the_key_as_it_was_sent() throws Exception {
        try (LoopbackServer server = LoopbackServer.answering(404);
                HttpSender sender = queryable(server.url("/orders/"))
                        .authorization("Bearer t0ken")
                        .build()) {
            sender.query(entry("a b/../c%", 2), TIMEOUT);
            sender.query(entry("..", 1), TIMEOUT);
            LoopbackServer.Request request = server.requests().getFirst();
            assertThat(request.method()).isEqualTo("GET");
            assertThat(request.path()).isEqualTo("/orders/a%2520b%2F..%2Fc%2525~2");
            assertThat(request.header("Authorization")).isEqualTo("Bearer t0ken");
            assertThat(request.body()).isEmpty();
            assertThat(server.requests().getLast().path()).isEqualTo("/orders/%252E%252E");
        }
    }

    @Test
    void a_taken_request_is_recorded_with_its_response() throws Exception {
        for (int status : List.of(200, 201, 204, 299)) {
            assertThat(query(status, status == 204 ? "" : "{\"id\": 1}", options -> options))
                    .isEqualTo(new QueryOutcome.Taken(new LedgerResult(
                            LedgerStatus.SUCCEEDED,
                            200,
                            status == 204 ? Optional.empty() : Optional.of("{\"id\": 1}"),
                            Optional.empty())));
        }
    }

    @Test
    void not_found_is_not_there_and_all_else_does_not_say() throws Exception {
        assertThat(query(404)).isInstanceOf(QueryOutcome.NotThere.class);
        for (int status : List.of(202, 302, 400, 401, 403, 405, 409, 410, 425, 429, 500, 502, 503, 504)) {
            assertThat(query(status))
                    .as("%d", status)
                    .isInstanceOfSatisfying(
                            QueryOutcome.StillUnknown.class,
                            unknown -> assertThat(unknown.message())
                                    .contains("responded with status " + status
                                            + ", which does not show whether it has it"));
        }
    }

    @Test
    void other_statuses_can_be_chosen() throws Exception {
        UnaryOperator<HttpSender.Builder> chosen =
                options -> options.queryNotThereStatuses(Set.of(410)).queryRefusedStatuses(Set.of(409, 204));
        assertThat(query(410, "", chosen)).isInstanceOf(QueryOutcome.NotThere.class);
        assertThat(query(404, "", chosen)).isInstanceOf(QueryOutcome.StillUnknown.class);
        for (int status : List.of(204, 409)) {
            assertThat(query(status, "", chosen))
                    .isInstanceOfSatisfying(
                            QueryOutcome.Refused.class,
                            refused -> assertThat(refused.reason()).isEqualTo(ReasonCode.REJECTED));
        }
        assertThatThrownBy(() -> queryable("https://a/")
                        .queryRefusedStatuses(Set.of(404))
                        .build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the status 404 of a query is configured with two meanings");
    }

    @Test
    void no_answer_or_half_of_one_does_not_say() throws Exception {
        for (String answer : List.of("", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", "garbage\r\n\r\n")) {
            try (RawServer server = RawServer.hangingUpAfter(answer);
                    HttpSender sender = queryable(server.url("http") + "/").build()) {
                assertThat(sender.query(entry("k"), TIMEOUT)).isInstanceOf(QueryOutcome.StillUnknown.class);
            }
        }
        try (RawServer server = RawServer.silentAfter("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{");
                HttpSender sender = queryable(server.url("http") + "/").build()) {
            assertThat(sender.query(entry("k"), Duration.ofMillis(300)))
                    .isInstanceOfSatisfying(
                            QueryOutcome.StillUnknown.class,
                            unknown -> assertThat(unknown.reason()).isEqualTo(ReasonCode.TIMEOUT));
        }
    }

    @Test
    void one_that_cannot_be_asked_says_so() {
        try (HttpSender sender = HttpSender.builder("https://a/").build()) {
            assertThat(sender.guarantee()).isEqualTo(Guarantee.IDEMPOTENT);
            assertThatThrownBy(() -> sender.query(entry("k"), TIMEOUT))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage("https://a cannot be queried for the outcome of an entry");
        }
    }
}
