package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxOwner;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class EntryLabelTest {
    @Test
    void a_key_is_shown_by_the_first_digits_of_its_hash() {
        // printf abc | sha256sum
        assertThat(EntryLabel.hash("abc")).isEqualTo("ba7816bf8f01");
    }

    @Test
    void neither_the_key_nor_the_payload_is_in_a_label() {
        OutboxEntry entry = new OutboxEntry(
                17,
                "abc",
                1,
                "",
                "{\"secret\":1}",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty());
        assertThat(EntryLabel.of(OutboxOwner.of("host"), new OutboxClaim(entry, 3, 2, false, Instant.EPOCH)))
                .isEqualTo("[host] outbox_id=17 idempotency_key=ba7816bf8f01 attempts=2");
    }
}
