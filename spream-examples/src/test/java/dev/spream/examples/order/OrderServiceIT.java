package dev.spream.examples.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.spream.api.HttpAddress;
import dev.spream.core.StorageException;
import dev.spream.examples.fault.Await;
import dev.spream.examples.http.Answer;
import dev.spream.examples.order.BrokerMode.Fault;
import dev.spream.examples.order.OrderClient.Reply;
import dev.spream.servers.PostgresDatabase;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** The order service as its clients see it, over a database and a broker that are there. */
@Timeout(120)
final class OrderServiceIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration BROKER_TIMEOUT = Duration.ofSeconds(2); // in which a busy machine answers, too
    private static final String TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private static final PostgresDatabase POSTGRES = PostgresDatabase.create();

    private static Broker broker;
    private static OrderService service;
    private static Map<String, String> settings; // of the service

    private OrderClient client;
    private String key;

    @BeforeAll
    static void startAll() throws Exception {
        broker = Broker.start(HttpAddress.parse("0"));
        settings = environment(Map.of());
        service = OrderService.start(settings);
    }

    @AfterAll
    static void closeAll() {
        service.close();
        broker.close();
    }

    @BeforeEach
    void start(TestInfo test) throws Exception {
        broker.mode(BrokerMode.SOUND);
        if (!settings.equals(environment(Map.of()))) {
            restart(environment(Map.of()));
        }
        client = new OrderClient(TIMEOUT);
        key = test.getTestMethod().orElseThrow().getName();
    }

    /** Starts another service in its place: else either may be the one that sends. */
    private static void restart(Map<String, String> environment) throws Exception {
        service.close();
        settings = environment;
        service = OrderService.start(environment);
    }

    @AfterEach
    void close() {
        client.close();
    }

    /** Returns what the broker has of the orders of the test. */
    private List<BrokerJournal.Line> booked() {
        return broker.book().lines().stream()
                .filter(line -> line.key().startsWith(key))
                .toList();
    }

    @Test
    void an_order_is_accepted_at_once_and_answered_with_its_result_when_it_was_sent() throws Exception {
        Reply accepted = client.post(service.uri(), key, OrderClient.order(1));
        assertThat(accepted.status()).isEqualTo(202);
        assertThat(accepted.text("status")).isEqualTo("accepted");
        assertThat(accepted.header("Location")).isEqualTo("/do/order/" + key);

        Reply settled = awaitSettled(accepted.header("Location"));
        assertThat(settled.status()).isEqualTo(200);
        assertThat(settled.text("status")).isEqualTo("succeeded");
        JsonObject result = settled.json().getAsJsonObject("result");
        assertThat(result.get("broker_order_id").getAsString()).startsWith("b-");

        Reply again = client.post(service.uri(), key, OrderClient.order(1));
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.json()).isEqualTo(settled.json());
        assertThat(booked())
                .singleElement()
                .satisfies(line -> assertThat(line.effects()).isEqualTo(1)); // a slow request is sent again
    }

    @Test
    void the_same_order_in_other_words_is_the_same_order() throws Exception {
        client.post(service.uri(), key, "{\"symbol\": \"A\", \"side\": \"buy\", \"quantity\": 100, \"price\": 1.50}");
        awaitSettled("/do/order/" + key);
        Reply again = client.post(
                service.uri(), key, "{\"price\":1.5,\"quantity\":1e2,\"side\":\"buy\",\"symbol\":\"\\u0041\"}");
        assertThat(again.status()).isEqualTo(200);
    }

    @Test
    void another_order_under_the_same_key_is_a_conflict_and_changes_nothing() throws Exception {
        client.post(service.uri(), key, OrderClient.order(1));
        Reply conflict = client.post(service.uri(), key, OrderClient.order(2));
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(conflict.text("reason")).isEqualTo("IDEMPOTENCY_CONFLICT");

        assertThat(awaitSettled("/do/order/" + key).status()).isEqualTo(200);
        assertThat(client.post(service.uri(), key, OrderClient.order(2)).status())
                .isEqualTo(409);
        assertThat(booked()).containsExactly(new BrokerJournal.Line(key, 1, 1));
    }

    @Test
    void an_order_that_the_broker_took_without_a_word_is_sent_again_and_has_one_effect() throws Exception {
        broker.mode(new BrokerMode(Fault.TIMEOUT_AFTER_ACCEPT, 1, 1, Duration.ofSeconds(60), true));
        client.post(service.uri(), key, OrderClient.order(1));
        Await.until(
                TIMEOUT,
                () -> booked().stream().anyMatch(line -> line.requests() == 2),
                () -> "not sent again: " + booked());
        assertThat(client.post(service.uri(), key, OrderClient.order(1)).text("status"))
                .isEqualTo("in_progress");

        broker.mode(BrokerMode.SOUND);
        assertThat(awaitSettled("/do/order/" + key).status()).isEqualTo(200);
        assertThat(broker.book().effects()).containsOnlyOnce(key);
    }

    @Test
    void a_broker_that_does_not_recognise_keys_is_asked_before_an_order_is_sent_again() throws Exception {
        restart(environment(Map.of("BROKER_RECOGNISES_KEYS", "false")));
        broker.mode(new BrokerMode(Fault.TIMEOUT_AFTER_ACCEPT, 1, 1, BROKER_TIMEOUT.plusSeconds(1), false));
        client.post(service.uri(), key, OrderClient.order(1));

        Reply settled = awaitSettled("/do/order/" + key);
        assertThat(settled.status()).isEqualTo(200);
        assertThat(settled.json().getAsJsonObject("result").has("broker_order_id"))
                .isTrue();
        assertThat(booked()).containsExactly(new BrokerJournal.Line(key, 1, 1));
    }

    @Test
    void an_order_that_the_broker_refuses_is_answered_with_its_reason_and_not_sent_again() throws Exception {
        broker.mode(new BrokerMode(Fault.REJECT, 1, 1, Duration.ZERO, true));
        client.post(service.uri(), key, OrderClient.order(1));
        Reply refused = awaitSettled("/do/order/" + key);
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.text("reason")).isEqualTo("REJECTED");
        assertThat(client.post(service.uri(), key, OrderClient.order(1)).json()).isEqualTo(refused.json());
        assertThat(booked()).containsExactly(new BrokerJournal.Line(key, 1, 0));
    }

    @Test
    void orders_that_a_service_left_behind_are_sent_by_the_next_one() throws Exception {
        broker.mode(new BrokerMode(Fault.DOWN, 1, 1, Duration.ZERO, true));
        for (int i = 0; i < 5; i++) {
            assertThat(client.post(service.uri(), key + i, OrderClient.order("restart", 1))
                            .status())
                    .isEqualTo(202);
        }
        service.close();
        broker.mode(BrokerMode.SOUND);
        service = OrderService.start(settings);
        for (int i = 0; i < 5; i++) {
            assertThat(awaitSettled("/do/order/" + key + i).status()).isEqualTo(200);
        }
        assertThat(broker.book().effects())
                .filteredOn(effect -> effect.startsWith(key))
                .containsExactly(key + 0, key + 1, key + 2, key + 3, key + 4);
    }

    @Test
    void a_request_that_is_no_order_is_answered_with_problem_details() throws Exception {
        assertBad("one header Idempotency-Key", HttpRequest.newBuilder().POST(BodyPublishers.ofString("{}")));
        assertBad("1 to 255 printable", withKey("a b", OrderClient.order(1)));
        assertBad("not valid JSON", withKey(key, "{\"symbol\": "));
        assertBad("a member twice", withKey(key, "{\"symbol\": \"a\", \"symbol\": \"b\"}"));
        assertBad("members symbol, side", withKey(key, "{\"colour\": 1}"));
        assertBad("side must be", withKey(key, "{\"symbol\": \"a\", \"side\": \"hold\", \"quantity\": 1}"));
        assertBad("whole number", withKey(key, "{\"symbol\": \"a\", \"side\": \"buy\", \"quantity\": 0.5}"));
        assertBad("more than 65536 bytes", withKey(key, "\"" + "x".repeat(65_536) + "\""));
        assertThat(client.get(service.uri(), "/do/order/" + key).status()).isEqualTo(404);
    }

    private static HttpRequest.Builder withKey(String key, String body) {
        return HttpRequest.newBuilder().header("Idempotency-Key", key).POST(BodyPublishers.ofString(body));
    }

    private void assertBad(String detail, HttpRequest.Builder request) throws Exception {
        Reply reply = client.send(request.uri(service.uri().resolve("/do/order")));
        assertThat(reply.status()).isEqualTo(400);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(reply.text("detail")).contains(detail);
    }

    @Test
    void another_method_is_answered_with_those_that_there_are() throws Exception {
        assertNotAllowed(service.uri().resolve("/do/order"), "POST");
        assertNotAllowed(service.uri().resolve("/do/order/" + key), "GET");
        assertNotAllowed(broker.uri().resolve("/broker/orders"), "POST");
        assertNotAllowed(broker.uri().resolve("/broker/orders/" + key), "GET");
        assertNotAllowed(broker.uri().resolve("/broker/mode"), "GET, POST");
        assertNotAllowed(broker.uri().resolve("/broker/book"), "GET");
        assertThat(client.send(HttpRequest.newBuilder(service.uri().resolve("/do"))
                                .DELETE())
                        .status())
                .isEqualTo(404);
    }

    private void assertNotAllowed(URI uri, String allowed) throws Exception {
        Reply reply = client.send(HttpRequest.newBuilder(uri).DELETE());
        assertThat(reply.status()).as("%s", uri).isEqualTo(405);
        assertThat(reply.header("Allow")).as("%s", uri).isEqualTo(allowed);
        assertThat(reply.header("Content-Type")).isEqualTo("application/problem+json");
    }

    @Test
    void the_database_asks_for_the_user_and_the_password_of_the_environment() throws Exception {
        requirePassword("order_user", "se'cret ${x}");
        Map<String, String> environment = new HashMap<>(environment(Map.of(
                "DATABASE_URL", "jdbc:postgresql://localhost:%d/%s".formatted(POSTGRES.port(), POSTGRES.name()))));
        environment.put("DATABASE_USER", "order_user");
        environment.put("DATABASE_PASSWORD", "wrong");
        assertThatThrownBy(() -> OrderService.start(environment).close())
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("as user 'order_user'");

        environment.put("DATABASE_PASSWORD", "se'cret ${x}");
        restart(environment);
        Reply accepted = client.post(service.uri(), key, OrderClient.order(1));
        assertThat(awaitSettled(accepted.header("Location")).status()).isEqualTo(200);
    }

    /** Adds a user with a password. */
    private static void requirePassword(String user, String password) throws Exception {
        try (Connection connection = POSTGRES.source().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE ROLE %s SUPERUSER LOGIN PASSWORD '%s'".formatted(user, password.replace("'", "''")));
            try (ResultSet found = statement.executeQuery("SHOW hba_file")) {
                found.next();
                Path rules = Path.of(found.getString(1));
                Files.writeString(rules, "host all %s all scram-sha-256%n%s".formatted(user, Files.readString(rules)));
            }
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    @Test
    void keys_of_any_characters_that_a_header_may_have_are_found_again() throws Exception {
        for (String odd : List.of("a/b", "100%", "\"quoted\"", "a?b#c", "~", "a+b")) {
            Reply accepted = client.post(service.uri(), odd, OrderClient.order(1));
            assertThat(accepted.status()).as(odd).isEqualTo(202);
            assertThat(awaitSettled(accepted.header("Location")).status())
                    .as(odd)
                    .isEqualTo(200);
        }
    }

    @Test
    void the_trace_context_of_the_request_goes_with_the_order() throws Exception {
        client.send(withKey(key, OrderClient.order(1))
                .uri(service.uri().resolve("/do/order"))
                .header("traceparent", TRACEPARENT));
        assertThat(new OutboxTables(POSTGRES.source()).traceparent(key)).isEqualTo(TRACEPARENT);
        awaitSettled("/do/order/" + key);
    }

    private Reply awaitSettled(String location) throws Exception {
        Await.until(
                TIMEOUT,
                () -> client.get(service.uri(), location).status() != Answer.ACCEPTED,
                () -> "not settled: " + new OutboxTables(POSTGRES.source()).unsettled());
        return client.get(service.uri(), location);
    }

    private static Map<String, String> environment(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "DATABASE_URL", POSTGRES.jdbcUrl(),
                "BROKER_URL", broker.uri().toString(),
                "ORDER_HTTP", "0",
                "OUTBOX_POLL_INTERVAL_SEC", "0.1",
                "OUTBOX_LOCK_LEASE_SEC", "10",
                "OUTBOX_MAX_ATTEMPTS", "50",
                "OUTBOX_BACKOFF_SEC", "0.1",
                "BROKER_TIMEOUT_MS", Long.toString(BROKER_TIMEOUT.toMillis())));
        environment.putAll(more);
        return environment;
    }
}
