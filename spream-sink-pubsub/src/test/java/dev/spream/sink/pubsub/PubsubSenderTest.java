package dev.spream.sink.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.pubsub.v1.PubsubMessage;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.SendOutcome.Permanent;
import dev.spream.outbox.SendOutcome.Retryable;
import dev.spream.outbox.SendOutcome.Succeeded;
import dev.spream.outbox.SendOutcome.Unknown;
import dev.spream.sink.pubsub.PublisherServer.Reply;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of publishing, and of the outcome of an attempt for each response of Pub/Sub. */
@Timeout(120)
final class PubsubSenderTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final String PAYLOAD = "{\"buy\": \"s3cr3t\"}";

    private PublisherServer server;

    @BeforeEach
    void start() throws IOException {
        server = PublisherServer.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private PubsubSender sender(Map<String, String> more) throws Exception {
        Map<String, String> values = new HashMap<>(
                Map.of("topic", PublisherServer.TOPIC, "emulator-host", server.host(), "check-topic", "false"));
        values.putAll(more);
        PubsubSenderProvider provider = new PubsubSenderProvider();
        return (PubsubSender) provider.create(TestConfig.of(provider, values), TestConfig.CONTEXT);
    }

    private static OutboxEntry entry(String key, String payload) {
        return new OutboxEntry(
                7,
                key,
                2,
                OutboxMessage.digest(payload),
                payload,
                Optional.of("order-placed"),
                "mail",
                Optional.of("account-1"),
                Optional.of("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"),
                Instant.parse("2026-01-01T00:00:00.000001Z"),
                Optional.empty());
    }

    private SendOutcome send(Reply reply, Duration timeout) throws Exception {
        server.script(request -> reply);
        try (PubsubSender sender = sender(Map.of())) {
            return sender.send(entry("k", PAYLOAD), timeout);
        }
    }

    @Test
    void it_is_found_by_name_and_its_defaults_hold() throws Exception {
        assertThat(ServiceLoader.load(OutboxSenderProvider.class).stream()
                        .map(provider -> provider.get().name()))
                .contains("pubsub");
        try (PubsubSender sender = sender(Map.of())) {
            assertThat(sender.guarantee()).isEqualTo(Guarantee.IDEMPOTENT);
            assertThat(sender).hasToString("pubsub to " + PublisherServer.TOPIC);
        }
        try (PubsubSender sender = sender(Map.of("guarantee", "neither", "compression", "true"))) {
            assertThat(sender.guarantee()).isEqualTo(Guarantee.NEITHER);
            assertThat(sender.send(entry("k", PAYLOAD), LONG)).isInstanceOf(Succeeded.class);
        }
        assertThatThrownBy(() -> sender(Map.of("guarantee", "queryable")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected idempotent | neither");
    }

    @Test
    void a_topic_that_is_not_there_ends_the_start_with_the_senders_own_keys() {
        server.removeTopic();
        assertThatThrownBy(() -> sender(Map.of("check-topic", "true")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gcloud pubsub topics create changes")
                .hasMessageContaining("sender.pubsub.topic");
    }

    @Test
    void an_entry_is_a_message_with_what_names_it_in_attributes() throws Exception {
        try (PubsubSender sender = sender(Map.of())) {
            assertThat(sender.send(entry("order-17", PAYLOAD), LONG))
                    .isEqualTo(new Succeeded(LedgerResult.succeeded("{\"messageId\":\"0\"}")));
        }
        PubsubMessage message = server.taken().getFirst();
        assertThat(message.getData().toStringUtf8()).isEqualTo(PAYLOAD);
        assertThat(message.getOrderingKey()).isEqualTo("account-1");
        assertThat(message.getAttributesMap())
                .isEqualTo(Map.of(
                        "idempotency-key", "order-17",
                        "generation", "2",
                        "entry-id", "7",
                        "created-at", "2026-01-01T00:00:00.000001Z",
                        "payload-type", "order-placed",
                        "destination", "mail",
                        "traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"));
    }

    @Test
    void an_ordering_key_is_left_out_on_demand_and_what_is_too_long_is_hashed() throws Exception {
        try (PubsubSender sender = sender(Map.of("ordering", "false"))) {
            assertThat(sender.send(entry("\u6ce8".repeat(400), PAYLOAD), LONG)).isInstanceOf(Succeeded.class);
        }
        PubsubMessage message = server.taken().getFirst();
        assertThat(message.getOrderingKey()).isEmpty();
        assertThat(message.getAttributesOrThrow("idempotency-key")).matches("sha256/[0-9a-f]{64}");
    }

    @Test
    void every_row_of_the_table_holds_and_nothing_is_tried_twice() throws Exception {
        Map<Status, SendOutcome> rows = Map.ofEntries(
                Map.entry(Status.INVALID_ARGUMENT, new Permanent(ReasonCode.INVALID_REQUEST, "")),
                Map.entry(Status.RESOURCE_EXHAUSTED, new Retryable(ReasonCode.RATE_LIMITED, "")),
                Map.entry(Status.PERMISSION_DENIED, new Retryable(ReasonCode.UNAUTHORIZED, "")),
                Map.entry(Status.UNAUTHENTICATED, new Retryable(ReasonCode.UNAUTHORIZED, "")),
                Map.entry(Status.NOT_FOUND, new Retryable(ReasonCode.UNAVAILABLE, "")),
                Map.entry(Status.FAILED_PRECONDITION, new Retryable(ReasonCode.UNAVAILABLE, "")),
                Map.entry(Status.UNAVAILABLE, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")),
                Map.entry(Status.DEADLINE_EXCEEDED, new Unknown(ReasonCode.TIMEOUT, "")),
                Map.entry(Status.ABORTED, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")),
                Map.entry(Status.CANCELLED, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")),
                Map.entry(Status.INTERNAL, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")),
                Map.entry(Status.UNKNOWN, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")),
                Map.entry(Status.ALREADY_EXISTS, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")),
                Map.entry(Status.OUT_OF_RANGE, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")),
                Map.entry(Status.UNIMPLEMENTED, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")),
                Map.entry(Status.DATA_LOSS, new Unknown(ReasonCode.OUTCOME_UNKNOWN, "")));
        try (PubsubSender sender = sender(Map.of())) {
            for (Map.Entry<Status, SendOutcome> row : rows.entrySet()) {
                server.script(request -> new Reply.Refuse(row.getKey().withDescription("s3cr3t")));
                SendOutcome outcome = sender.send(entry("k", PAYLOAD), LONG);
                assertThat(outcome.toString()).contains(PublisherServer.TOPIC).doesNotContain("s3cr3t");
                assertThat(withoutMessage(outcome)).as("%s", row.getKey()).isEqualTo(row.getValue());
            }
        }
        assertThat(server.requests()).hasSize(rows.size());
    }

    private static SendOutcome withoutMessage(SendOutcome outcome) {
        return switch (outcome) {
            case Succeeded success -> success;
            case Retryable retryable -> new Retryable(retryable.reason(), "", retryable.after());
            case Permanent permanent -> new Permanent(permanent.reason(), "");
            case Unknown unknown -> new Unknown(unknown.reason(), "");
        };
    }

    @Test
    void a_message_that_was_taken_without_an_answer_may_have_been_published() throws Exception {
        assertThat(send(new Reply.LoseAnswer(Status.UNAVAILABLE), LONG)).isInstanceOf(Unknown.class);
        assertThat(server.taken()).hasSize(1);
        assertThat(send(new Reply.ConfirmTooFew(), LONG)).isInstanceOf(Unknown.class);
        Duration enough = Duration.ofSeconds(2); // for the request to leave on a busy machine
        assertThat(withoutMessage(send(new Reply.Hold(), enough))).isEqualTo(new Unknown(ReasonCode.TIMEOUT, ""));
    }

    @Test
    void a_refused_connection_sends_nothing() throws Exception {
        server.close();
        try (PubsubSender sender = sender(Map.of())) {
            SendOutcome outcome = sender.send(entry("k", PAYLOAD), LONG);
            assertThat(withoutMessage(outcome)).isEqualTo(new Retryable(ReasonCode.UNAVAILABLE, ""));
            assertThat(((Retryable) outcome).message())
                    .contains("sender.pubsub.endpoint")
                    .endsWith("; nothing left");
        }
    }

    @Test
    void entries_without_capacity_are_not_sent_and_oversized_ones_fail_for_good() throws Exception {
        try (PubsubSender sender = sender(Map.of("max-requests", "1"))) {
            server.script(request -> new Reply.Hold());
            FutureTask<SendOutcome> first = new FutureTask<>(() -> sender.send(entry("k1", PAYLOAD), LONG));
            Thread.ofVirtual().start(first);
            server.awaitRequests(1);
            assertThat(withoutMessage(sender.send(entry("k2", PAYLOAD), SHORT)))
                    .isEqualTo(new Retryable(ReasonCode.UNAVAILABLE, ""));
            server.releaseHeld();
            assertThat(first.get(20, TimeUnit.SECONDS)).isInstanceOf(Succeeded.class);
            SendOutcome outcome = sender.send(entry("k", "x".repeat(10_000_000)), LONG);
            assertThat(withoutMessage(outcome)).isEqualTo(new Permanent(ReasonCode.INVALID_REQUEST, ""));
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void an_interrupt_ends_an_attempt_and_gives_its_room_back() throws Exception {
        try (PubsubSender sender = sender(Map.of("max-requests", "1"))) {
            server.script(request -> new Reply.Hold());
            FutureTask<SendOutcome> attempt = new FutureTask<>(() -> sender.send(entry("k1", PAYLOAD), LONG));
            Thread caller = Thread.ofVirtual().start(attempt);
            server.awaitRequests(1);
            caller.interrupt();
            assertThatThrownBy(() -> attempt.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
            server.confirmAll();
            assertThat(sender.send(entry("k2", PAYLOAD), LONG)).isInstanceOf(Succeeded.class);
        }
    }

    @Test
    void after_it_was_closed_nothing_leaves() throws Exception {
        PubsubSender sender = sender(Map.of());
        sender.close();
        assertThat(withoutMessage(sender.send(entry("k", PAYLOAD), LONG)))
                .isEqualTo(new Retryable(ReasonCode.UNAVAILABLE, ""));
        assertThat(server.requests()).isEqualTo(List.of());
    }
}
