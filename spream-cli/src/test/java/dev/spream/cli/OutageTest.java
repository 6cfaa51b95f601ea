package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OutageTest {
    private final SourceException away =
            new SourceException(SourceException.Kind.TRANSIENT, "UNAVAILABLE:\n refused", null);

    private final List<String> lines = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final Outage outage = new Outage(lines::add, () -> now);

    @Test
    void a_stream_that_breaks_now_and_then_is_not_worth_a_line() {
        reconnecting("a", 1, away);
        reconnecting("a", 2, away);
        outage.reconnecting(new PartitionToken("a"), 9, Duration.ZERO, null);
        assertThat(lines).isEmpty();
    }

    @Test
    void an_outage_of_all_partitions_is_one_line_in_half_a_minute() {
        reconnecting("a", 3, away);
        reconnecting("b", 3, away);
        now = now.plusSeconds(29);
        reconnecting("a", 4, away);
        assertThat(lines).containsExactly("no answer after 3 attempts, trying again: UNAVAILABLE: refused");
        now = now.plusSeconds(1);
        reconnecting("a", 5, away);
        assertThat(lines).hasSize(2);
    }

    @Test
    void it_is_said_once_when_all_partitions_are_answered_again() {
        reconnecting("a", 3, away);
        reconnecting("b", 3, away);
        outage.reconnected(new PartitionToken("a"));
        assertThat(lines).hasSize(1);
        now = now.plusSeconds(45);
        outage.reconnected(new PartitionToken("b"));
        outage.reconnected(new PartitionToken("b"));
        assertThat(lines).hasSize(2).last().isEqualTo("the server answers again, after 45 s");
        reconnecting("a", 3, away);
        assertThat(lines).hasSize(3);
    }

    private void reconnecting(String partition, int attempt, SourceException cause) {
        outage.reconnecting(new PartitionToken(partition), attempt, Duration.ofSeconds(1), cause);
    }
}
