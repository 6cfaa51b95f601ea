package dev.spream.sinks.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.SendOutcome;
import dev.spream.sinks.TestConfig;
import dev.spream.sinks.TestContext;
import dev.spream.testkit.LogLines;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

final class HttpSenderProviderTest {
    private static final String URL = "https://broker.example.com/orders";
    private final HttpSenderProvider provider = new HttpSenderProvider();

    private HttpSender sender(Map<String, String> values) {
        Map<String, String> all = new HashMap<>(values);
        all.putIfAbsent("url", URL);
        return (HttpSender) provider.create(TestConfig.of(provider, all), new TestContext());
    }

    @Test
    void it_is_found_by_name() {
        assertThat(ServiceLoader.load(OutboxSenderProvider.class).stream()
                        .map(found -> found.get().name()))
                .contains("http");
    }

    @Test
    void defaults_hold() {
        try (HttpSender sender = sender(Map.of())) {
            assertThat(sender.guarantee()).isEqualTo(Guarantee.IDEMPOTENT);
            assertThat(sender).hasToString("http to https://broker.example.com");
        }
    }

    @Test
    void every_key_is_read() throws Exception {
        try (LoopbackServer server = LoopbackServer.start((exchange, request) ->
                LoopbackServer.respond(exchange, request.method().equals("GET") ? 410 : 409, ""))) {
            Map<String, String> values = Map.ofEntries(
                    Map.entry("url", server.url("/{key}")),
                    Map.entry("method", "put"),
                    Map.entry("connect-timeout", "2s"),
                    Map.entry("authorization", "Bearer t0ken"),
                    Map.entry("headers", "X-A: 1, X-B: 2"),
                    Map.entry("guarantee", "queryable"),
                    Map.entry("query-url", server.url("/q/{key}")),
                    Map.entry("query-not-there-statuses", "404,410"),
                    Map.entry("query-refused-statuses", "418"),
                    Map.entry("retryable-statuses", "409, 500"),
                    Map.entry("permanent-statuses", "404"),
                    Map.entry("unknown-statuses", "503"));
            assertThat(values.keySet())
                    .containsExactlyInAnyOrderElementsOf(
                            provider.keys().stream().map(ConfigKey::name).toList());
            try (HttpSender sender = sender(values)) {
                assertThat(sender.guarantee()).isEqualTo(Guarantee.QUERYABLE);
                assertThat(sender.send(Entries.entry("k"), Duration.ofSeconds(20)))
                        .isInstanceOf(SendOutcome.Retryable.class);
                assertThat(sender.query(Entries.entry("k"), Duration.ofSeconds(20)))
                        .isInstanceOf(QueryOutcome.NotThere.class);
                LoopbackServer.Request request = server.requests().getFirst();
                assertThat(request.method() + request.path()).isEqualTo("PUT/k");
                assertThat(request.header("X-A") + request.header("X-B")).isEqualTo("12");
                assertThat(server.requests().getLast().path()).isEqualTo("/q/k");
            }
        }
    }

    @Test
    void a_queryable_receiver_needs_a_url_with_a_key_and_no_other_has_one() {
        assertThatThrownBy(() -> sender(Map.of("guarantee", "queryable")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("query-url: a queryable service needs one, with {key} in it");
        assertThatThrownBy(() -> sender(Map.of("guarantee", "queryable", "query-url", URL)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("with {key} in it");
        assertThatThrownBy(() -> sender(Map.of("guarantee", "neither", "query-url", URL + "/{key}")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("query-url: no receiver is queried unless guarantee is queryable");
        try (HttpSender sender = sender(Map.of("guarantee", "neither"))) {
            assertThat(sender.guarantee()).isEqualTo(Guarantee.NEITHER);
        }
    }

    @Test
    void invalid_settings_are_refused_without_being_shown() {
        assertThatThrownBy(() -> sender(Map.of("url", "https://user:s3cr3t@example.com/")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("url: user and password do not belong in it")
                .hasMessageNotContaining("s3cr3t");
        assertThatThrownBy(() -> sender(Map.of(
                        "authorization",
                        "Bearer s3cr3t\nX: y",
                        "headers",
                        "traceparent: s3cr3t,Idempotency-Key: s3cr3t")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("authorization: contains characters that a header cannot have, such as a line end; "
                        + "headers: traceparent is set by spream itself, or by the protocol; "
                        + "headers: Idempotency-Key is set by spream itself, or by the protocol");
        for (String statuses : List.of("200", "600", "4o4", "404,,405", "")) {
            assertThatThrownBy(() -> sender(Map.of("unknown-statuses", statuses)))
                    .as(statuses)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> sender(Map.of("unknown-statuses", "409", "permanent-statuses", "409")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the status 409 is configured with two meanings");
    }

    @Test
    void secrets_are_marked_and_urls_shown_in_part() {
        assertThat(provider.keys().stream().filter(ConfigKey::isSecret).map(ConfigKey::name))
                .containsExactly("authorization", "headers");
        assertThat(provider.keys().stream()
                        .filter(key -> key.shownPart().isPresent())
                        .map(ConfigKey::name))
                .containsExactly("url", "query-url");
    }

    @Test
    void secrets_that_would_go_unencrypted_over_a_network_are_warned_of() throws Exception {
        try (LogLines logged = new LogLines(HttpSender.class.getName())) {
            for (String url : List.of("http://broker.example.com/p4th", "http://[::1]:8080/", URL)) {
                OutboxSender sender = sender(Map.of("url", url, "authorization", "Bearer t0ken"));
                ((AutoCloseable) sender).close();
            }
            assertThat(logged.lines())
                    .containsExactly("WARN entries and secrets go to http://broker.example.com unencrypted; use https");
        }
    }
}
