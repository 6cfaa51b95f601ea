package dev.spream.cli.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.OutboxStats;
import dev.spream.outbox.OutboxStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Numbers of an outbox for people and for programs, which of them are exact among them. */
final class OutboxStatsTextTest {
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    private static OutboxStats stats(Set<OutboxStatus> estimated, Set<OutboxStats.Figure> atLeast) {
        return new OutboxStats(
                NOW,
                Map.of(OutboxStatus.PENDING, 12_345L, OutboxStatus.FAILED, 2L),
                10_000,
                Optional.of(NOW.minusSeconds(90)),
                3,
                2,
                1,
                estimated,
                atLeast);
    }

    @Test
    void exact_numbers_are_shown_as_they_are() {
        OutboxStats exact = stats(Set.of(), Set.of());
        assertThat(OutboxPrinter.stats(exact))
                .contains("pending        12,345", "failed         2", "lease expired  3")
                .contains("parked         2, of which 1 may have reached the receiver")
                .anyMatch(line -> line.matches("due +10,000, the oldest for 1m ?30s"));
        assertThat(OutboxJson.stats(exact)).contains("\"estimated\":[]", "\"at_least\":[]");
    }

    @Test
    void estimates_and_partial_counts_are_marked() {
        OutboxStats bounded = stats(Set.of(OutboxStatus.PENDING), Set.of(OutboxStats.Figure.values()));
        assertThat(OutboxPrinter.stats(bounded))
                .contains("pending        about 12,345", "failed         2", "lease expired  at least 3")
                .contains("parked         at least 2, of which 1 may have reached the receiver")
                .anyMatch(line -> line.matches("due +at least 10,000, the oldest for at least 1m ?30s"));
        assertThat(OutboxJson.stats(bounded))
                .contains(
                        "\"estimated\":[\"pending\"]",
                        "\"at_least\":[\"due\",\"lag_seconds\",\"leases_expired\",\"parked\"]",
                        "\"pending\":12345");
    }
}
