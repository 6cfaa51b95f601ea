package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ReadAheadTest {
    private final ReadAhead ahead = new ReadAhead(8);

    @Test
    void nothing_is_claimed_ahead_until_both_durations_are_known() {
        assertThat(ahead.entries(1_000)).isZero();
        ahead.claimed(2_000_000);
        assertThat(ahead.entries(1_000)).isZero();
        ahead.attempted(2_000_000, 0);
        assertThat(ahead.entries(1_000)).isEqualTo(8);
    }

    @Test
    void as_many_are_claimed_ahead_as_are_sent_during_a_claim_and_at_most_three_a_slot() {
        ahead.claimed(2_000_000);
        ahead.attempted(1_000_000, 0);
        assertThat(ahead.entries(1_000)).isEqualTo(16);
        IntStream.range(0, 100).forEach(i -> ahead.attempted(10_000, 0));
        assertThat(ahead.entries(1_000)).isEqualTo(24);
    }

    @Test
    void none_is_claimed_ahead_of_a_slow_sender() {
        ahead.claimed(2_000_000);
        IntStream.range(0, 100).forEach(i -> ahead.attempted(100_000_000, 0));
        assertThat(ahead.entries(1_000)).isZero();
    }

    @Test
    void none_is_claimed_ahead_while_no_attempt_ends() {
        ahead.claimed(2_000_000);
        ahead.attempted(1_000_000, 0);
        assertThat(ahead.entries(20_000_000)).isEqualTo(16);
        assertThat(ahead.entries(20_000_001)).isZero();
    }

    @Test
    void a_worker_that_claims_none_ahead_never_does() {
        ReadAhead none = new ReadAhead(0);
        none.claimed(2_000_000);
        none.attempted(1, 0);
        assertThat(none.entries(1_000)).isZero();
    }
}
