package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.internal.LocalLease;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ActiveClaimTest {
    private static final Duration LEASE = Duration.ofSeconds(80);
    private static final Duration HELD = Duration.ofSeconds(70); // an eighth is left out
    private static final long TIMEOUT = Duration.ofSeconds(2).toNanos();

    private final DrivenOutboxTime time = new DrivenOutboxTime(WorkerBench.START);
    private final ActiveClaim held =
            new ActiveClaim(claim(), false, time.nanoTime(), LocalLease.requested(time, LEASE));

    private static OutboxClaim claim() {
        OutboxEntry entry = new OutboxEntry(
                17,
                "a",
                1,
                "d",
                "{}",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty());
        return new OutboxClaim(entry, 1, 1, false, Instant.EPOCH);
    }

    @Test
    void a_call_begins_until_the_time_of_the_claim_is_over_by_the_clock() {
        time.advance(HELD.minusNanos(1));
        assertThat(startCall()).isTrue();
    }

    /** The thread that sends may have stood still, and the one that watches the clock with it. */
    @Test
    void no_call_begins_after_that_even_if_nothing_else_has_noticed() {
        time.advance(HELD);
        assertThat(startCall()).isFalse();
        held.renewed(LocalLease.requested(time, LEASE));
        assertThat(startCall()).as("renewed").isTrue();
    }

    @Test
    void no_call_begins_of_a_claim_that_is_lost() {
        assertThat(held.revoke()).isTrue();
        assertThat(startCall()).isFalse();
    }

    private boolean startCall() {
        return held.startCall(time.nanoTime(), TIMEOUT);
    }
}
