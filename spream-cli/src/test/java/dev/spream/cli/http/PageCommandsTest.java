package dev.spream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.HttpAddress;
import dev.spream.cli.panel.Opening;
import dev.spream.cli.panel.OutboxPanel;
import dev.spream.core.record.JsonObject;
import dev.spream.outbox.AuditEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.Settlement;
import dev.spream.testkit.memory.InMemoryOutbox;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands of the page over an outbox with an aborted entry. */
@Timeout(60)
final class PageCommandsTest {
    private static final String TOKEN = "a-token-of-more-than-16";
    private static final String REQUEUE = "api/outbox/requeue";
    private static final OutboxOwner ANN = OutboxOwner.of("ann");

    private final InMemoryOutbox outbox = new InMemoryOutbox();
    private final HttpClient client = HttpClient.newHttpClient();
    private OutboxEndpoints endpoints = endpoints(Optional.of(TOKEN));
    private URI base = URI.create("http://127.0.0.1/");
    private long id;

    @BeforeEach
    void abortAnEntry() throws IOException {
        try (InMemoryOutbox.Transaction transaction = outbox.begin()) {
            outbox.outbox().enqueue(transaction, OutboxMessage.of("secret-key", "{\"secret\":1}"));
            transaction.commit();
        }
        OutboxClaim claim =
                outbox.store().claim(ANN, "", 1, Duration.ofMinutes(2)).claims().getFirst();
        id = claim.ref().id();
        outbox.store()
                .settle(
                        ANN,
                        List.of(new Settlement.Aborted(
                                claim.ref(), LedgerResult.failed(ReasonCode.REJECTED), "secret answer")));
        base = URI.create(endpoints.listen());
    }

    @AfterEach
    void close() {
        endpoints.close();
        client.close();
    }

    private OutboxEndpoints endpoints(Optional<String> token) {
        OutboxPanel panel = new OutboxPanel(new Opening<>(outbox::operations), Optional::empty);
        return new OutboxEndpoints(
                new HttpAddress("127.0.0.1", 0),
                "orders",
                new PageParts(List.of(panel), token),
                InstantSource.system());
    }

    @Test
    void a_command_with_the_token_is_run_audited_and_shown_at_once() throws Exception {
        assertThat(panel().objects("aborted")).hasSize(1);

        HttpResponse<String> answer = post(REQUEUE, body("\"actor\":\"ann\",\"reason\":\"it is back\","), TOKEN);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonObject outcome = JsonObject.of(answer.body());
        assertThat(outcome.get("done")).isEqualTo(true);
        assertThat(outcome.string("text").orElseThrow()).isEqualTo("entry %d was requeued; it is pending now", id);
        assertThat(status()).isEqualTo(OutboxStatus.PENDING);
        assertThat(outbox.operations().audit(id))
                .singleElement()
                .satisfies(entry -> assertThat(entry.actor()).isEqualTo("ann@127.0.0.1"))
                .extracting(AuditEntry::reason)
                .isEqualTo("it is back");
        assertThat(panel().objects("aborted")).isEmpty();
    }

    @Test
    void a_refused_command_changes_nothing_and_names_the_reason() throws Exception {
        post(REQUEUE, body("\"reason\":\"x\","), TOKEN);

        JsonObject outcome =
                JsonObject.of(post(REQUEUE, body("\"reason\":\"x\","), TOKEN).body());

        assertThat(outcome.get("done")).isEqualTo(false);
        assertThat(outcome.string("text").orElseThrow()).contains("was not requeued");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a-token-of-more-than-17", "A-TOKEN-OF-MORE-THAN-16", "a-token-of-more-than-16-and-more"})
    void a_missing_or_wrong_token_is_refused_after_a_delay(String token) throws Exception {
        long began = System.nanoTime();

        HttpResponse<String> answer = post(REQUEUE, body("\"reason\":\"x\","), token);

        assertThat(answer.statusCode()).isEqualTo(401);
        assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer realm=\"spream\"");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(250));
        assertUnchanged();
    }

    @Test
    void a_token_in_another_scheme_or_without_one_is_refused() throws Exception {
        for (String header : List.of(TOKEN, "Basic " + TOKEN, "Bearer", "Bearer  ")) {
            assertThat(send(request(REQUEUE, "application/json")
                                    .header("Authorization", header)
                                    .POST(BodyPublishers.ofString(body("\"reason\":\"x\","))))
                            .statusCode())
                    .as(header)
                    .isEqualTo(401);
        }
        assertUnchanged();
    }

    @Test
    void without_a_configured_token_no_command_exists() throws Exception {
        try (OutboxEndpoints readOnly = endpoints(Optional.empty())) {
            base = URI.create(readOnly.listen());
            assertThat(post(REQUEUE, body("\"reason\":\"x\","), TOKEN).statusCode())
                    .isEqualTo(404);
            assertThat(post("api/outbox", "{}", TOKEN).statusCode()).isEqualTo(405);
            assertThat(page().get("commands")).isEqualTo(false);
            assertThat(page().objects("panels").getFirst().get("commands")).isEqualTo(List.of());
            assertUnchanged();
        }
    }

    @Test
    void a_page_with_a_token_names_its_commands() throws Exception {
        assertThat(page().get("commands")).isEqualTo(true);
        assertThat(page().objects("panels").getFirst().get("commands")).isEqualTo(List.of("requeue", "abort"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
    void another_method_than_post_runs_no_command(String method) throws Exception {
        HttpResponse<String> answer = send(request(REQUEUE, "application/json")
                .header("Authorization", "Bearer " + TOKEN)
                .method(method, BodyPublishers.ofString(body("\"reason\":\"x\","))));

        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("Allow")).contains("POST");
        assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://evil.example", "http://127.0.0.1:1", "null", "://", "http://127.0.0.1"})
    void a_page_of_another_origin_runs_no_command(String origin) throws Exception {
        assertThat(raw(origin, "127.0.0.1:" + base.getPort())).contains(" 403 ");
        assertUnchanged();
    }

    @Test
    void a_page_of_this_server_runs_commands() throws Exception {
        assertThat(raw("http://127.0.0.1:" + base.getPort(), "127.0.0.1:" + base.getPort()))
                .contains(" 200 ");
        assertThat(status()).isEqualTo(OutboxStatus.PENDING);
    }

    @Test
    void a_name_that_was_made_to_point_here_runs_no_command() throws Exception {
        assertThat(raw("http://evil.example", "evil.example")).contains(" 421 ");
        assertUnchanged();
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"})
    void a_body_that_is_not_declared_as_json_is_refused(String type) throws Exception {
        HttpResponse<String> answer = send(request(REQUEUE, type)
                .header("Authorization", "Bearer " + TOKEN)
                .POST(BodyPublishers.ofString(body("\"reason\":\"x\","))));

        assertThat(answer.statusCode()).isEqualTo(415);
        assertUnchanged();
    }

    @Test
    void a_body_that_is_too_long_is_refused() throws Exception {
        String filler = "\"filler\":\"%s\",\"reason\":\"x\",".formatted("x".repeat(16 * 1024));

        assertThat(post(REQUEUE, body(filler), TOKEN).statusCode()).isEqualTo(413);
        assertUnchanged();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "not JSON|''",
                "[]|''",
                "{\"id\":1}|reason is missing",
                "{\"reason\":\"x\"}|id is missing",
                "{\"reason\":\"x\",\"id\":-1}|id is missing",
                "{\"reason\":\"x\",\"id\":\"many\"}|id is missing",
                "{\"reason\":\"x\",\"id\":1,\"actor\":\"a\\nb\"}|actor must have"
            })
    void arguments_are_validated_before_anything_is_changed(String body, String message) throws Exception {
        HttpResponse<String> answer = post(REQUEUE, body, TOKEN);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains(message);
        assertUnchanged();
    }

    @Test
    void neither_keys_nor_payloads_nor_messages_of_a_receiver_are_shown() throws Exception {
        assertThat(send(request("api/outbox", "text/plain").GET()).body())
                .contains("REJECTED")
                .doesNotContain("secret");
    }

    private void assertUnchanged() {
        assertThat(status()).isEqualTo(OutboxStatus.ABORTED);
        assertThat(outbox.operations().audit(id)).isEmpty();
    }

    private OutboxStatus status() {
        return outbox.operations().find(id).orElseThrow().status();
    }

    private String body(String more) {
        return "{%s\"id\":%d}".formatted(more, id);
    }

    private JsonObject panel() throws Exception {
        return JsonObject.of(send(request("api/outbox", "text/plain").GET()).body())
                .object("state")
                .orElseThrow();
    }

    private JsonObject page() throws Exception {
        return JsonObject.of(send(request("api/page", "text/plain").GET()).body());
    }

    private HttpResponse<String> post(String path, String body, String token) throws Exception {
        HttpRequest.Builder request = request(path, "application/json").POST(BodyPublishers.ofString(body));
        return send(token.isEmpty() ? request : request.header("Authorization", "Bearer " + token));
    }

    private HttpRequest.Builder request(String path, String type) {
        return HttpRequest.newBuilder(base.resolve(path)).header("Content-Type", type);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private String raw(String origin, String host) throws IOException {
        String body = body("\"reason\":\"x\",");
        Map<String, String> headers = Map.of(
                "Host",
                host,
                "Origin",
                origin,
                "Authorization",
                "Bearer " + TOKEN,
                "Content-Type",
                "application/json",
                "Content-Length",
                String.valueOf(body.length()),
                "Connection",
                "close");
        StringBuilder request = new StringBuilder("POST /" + REQUEUE + " HTTP/1.1\r\n");
        headers.forEach(
                (name, value) -> request.append(name).append(": ").append(value).append("\r\n"));
        try (Socket socket = new Socket(base.getHost(), base.getPort())) {
            socket.getOutputStream().write((request + "\r\n" + body).getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .findFirst()
                    .orElse("");
        }
    }
}
