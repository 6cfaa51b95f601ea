package dev.spream.core.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class HeldClaimTest {
    private static final long CLAIMED_AT = 1_000;
    private static final long HELD_UNTIL = CLAIMED_AT + 100;
    private static final long TIMEOUT = 50;

    private final HeldClaim held = new HeldClaim(claim(), false, CLAIMED_AT, HELD_UNTIL);

    private static OutboxClaim claim() {
        OutboxEntry entry = new OutboxEntry(
                17, "a", 1, "d", "{}", Optional.empty(), Optional.empty(), Instant.EPOCH, Optional.empty());
        return new OutboxClaim(entry, 1, 1, false, Instant.EPOCH);
    }

    @Test
    void a_call_begins_until_the_time_of_the_claim_is_over_by_the_clock() {
        assertThat(held.startCall(HELD_UNTIL - 1, TIMEOUT)).isTrue();
    }

    /** The thread that sends may have stood still, and the one that watches the clock with it. */
    @Test
    void no_call_begins_after_that_even_if_nothing_else_has_noticed() {
        assertThat(held.startCall(HELD_UNTIL, TIMEOUT)).isFalse();
        held.renewed(HELD_UNTIL + 100);
        assertThat(held.startCall(HELD_UNTIL, TIMEOUT)).as("renewed").isTrue();
    }

    @Test
    void no_call_begins_of_a_claim_that_is_lost() {
        assertThat(held.lose()).isTrue();
        assertThat(held.startCall(CLAIMED_AT, TIMEOUT)).isFalse();
    }
}
