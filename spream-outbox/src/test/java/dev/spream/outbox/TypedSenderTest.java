package dev.spream.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.serialization.JsonSerializer;
import dev.spream.core.serialization.SerializationException;
import dev.spream.core.serialization.TypeRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class TypedSenderTest {
    private static final SendOutcome SENT = new SendOutcome.Succeeded(LedgerResult.succeeded());

    sealed interface Mail permits Letter, Parcel {}

    record Letter(String to) implements Mail {}

    record Parcel(String to) implements Mail {}

    /** Writes a letter or parcel as a JSON text of its receiver. */
    private static final class Receivers implements JsonSerializer {
        @Override
        public String write(Object value) {
            return value instanceof Letter letter ? quoted(letter.to()) : quoted(((Parcel) value).to());
        }

        private static String quoted(String text) {
            return '"' + text + '"';
        }

        @Override
        public <T> T read(String json, Class<T> type) {
            if (!json.startsWith("\"")) {
                throw new SerializationException("not a text");
            }
            String to = json.substring(1, json.length() - 1);
            return type.cast(type == Letter.class ? new Letter(to) : new Parcel(to));
        }
    }

    private final TypeRegistry types = TypeRegistry.builder(new Receivers())
            .type("Letter", Letter.class)
            .type("Parcel", Parcel.class)
            .build();
    private final List<Object> sent = new ArrayList<>();

    private final class Noting<T> implements TypedSender<T> {
        @Override
        public OutboxSender.Guarantee guarantee() {
            return OutboxSender.Guarantee.IDEMPOTENT;
        }

        @Override
        public SendOutcome send(T value, OutboxEntry entry, Duration timeout) {
            sent.add(value);
            return SENT;
        }
    }

    private static OutboxEntry entry(OutboxMessage message) {
        return new OutboxEntry(
                1,
                message.idempotencyKey(),
                1,
                message.requestDigest(),
                message.payload(),
                message.payloadType(),
                message.destination(),
                Optional.empty(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty());
    }

    @Test
    void a_value_is_handed_over_as_it_was_enqueued() throws Exception {
        OutboxMessage message = OutboxMessage.typed(types, "key", new Letter("ann"))
                .destination("mail")
                .build();
        assertThat(message.payload()).isEqualTo("\"ann\"");
        assertThat(message.payloadType()).contains("Letter");
        OutboxSender sender = TypedSender.sender(types, Mail.class, new Noting<>());
        assertThat(sender.send(entry(message), Duration.ofSeconds(1))).isEqualTo(SENT);
        assertThat(sender.send(
                        entry(OutboxMessage.typed(types, "key 2", new Parcel("bob"))
                                .build()),
                        Duration.ofSeconds(1)))
                .isEqualTo(SENT);
        assertThat(sent).containsExactly(new Letter("ann"), new Parcel("bob"));
        assertThat(sender.name()).isEqualTo("Noting");
    }

    @Test
    void a_payload_that_cannot_be_read_is_not_sent_and_tried_again() throws Exception {
        OutboxSender letters = TypedSender.sender(types, Letter.class, new Noting<>());
        List<OutboxMessage> unreadable = List.of(
                OutboxMessage.of("untyped", "\"ann\""),
                OutboxMessage.builder("unknown", "\"ann\"").payloadType("Card").build(),
                OutboxMessage.builder("newer", "\"ann\"")
                        .payloadType("Letter@2")
                        .build(),
                OutboxMessage.builder("other", "7").payloadType("Letter").build(),
                OutboxMessage.typed(types, "of another type", new Parcel("bob")).build());
        for (OutboxMessage message : unreadable) {
            assertThat(letters.send(entry(message), Duration.ofSeconds(1)))
                    .as(message.idempotencyKey())
                    .isInstanceOfSatisfying(
                            SendOutcome.Retryable.class,
                            retryable -> assertThat(retryable.reason()).isEqualTo(ReasonCode.INVALID_REQUEST));
        }
        assertThat(sent).isEmpty();
    }

    @Test
    void a_type_that_is_not_registered_is_refused_at_the_start() {
        assertThatThrownBy(() -> TypedSender.sender(types, String.class, new Noting<>()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
