package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.source.SourceException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ConnectivityWarningTest {
    private static final PartitionToken A = new PartitionToken("a");

    private final SourceException away =
            new SourceException(SourceException.Kind.TRANSIENT, "UNAVAILABLE:\n refused", null);

    private final List<String> lines = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final ConnectivityWarning outage = new ConnectivityWarning(lines::add, () -> now);

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

    @Test
    void a_partition_that_comes_and_goes_is_one_pair_of_lines_in_half_a_minute() {
        reconnecting("a", 3, away);
        outage.reconnected(A);
        now = now.plusSeconds(29);
        reconnecting("a", 4, away);
        outage.reconnected(A);
        assertThat(lines).hasSize(2);
        reconnecting("a", 5, away);
        now = now.plusSeconds(1);
        reconnecting("a", 6, away);
        outage.reconnected(A);
        assertThat(lines).hasSize(4);
    }

    @Test
    void an_end_or_an_error_of_the_server_is_an_answer_as_well() {
        List<Runnable> answers = List.of(
                () -> outage.reconnected(A),
                () -> outage.partitionFinished(A, PartitionEnd.boundedEnd(now)),
                () -> outage.reconnecting(A, 4, Duration.ZERO, null),
                () -> outage.reconnecting(
                        A,
                        4,
                        Duration.ZERO,
                        new SourceException(SourceException.Kind.START_IN_FUTURE, "too far in the future", null)));
        for (Runnable answer : answers) {
            lines.clear();
            reconnecting("a", 3, away);
            now = now.plusSeconds(45);
            answer.run();
            answer.run();
            assertThat(lines).hasSize(2).last().isEqualTo("the server answers again, after 45 s");
        }
    }

    @Test
    void partitions_that_are_lost_or_given_back_without_an_answer_end_it_and_the_next_one_starts_anew() {
        reconnecting("a", 3, away);
        reconnecting("b", 3, away);
        now = now.plusSeconds(45);
        outage.leaseLost(A, 1);
        assertThat(lines).hasSize(1);
        outage.partitionReleased(new PartitionToken("b"));
        outage.leaseLost(A, 1);
        assertThat(lines)
                .hasSize(2)
                .last()
                .isEqualTo("the partitions without an answer are no longer read by this worker, after 45 s");
        now = now.plusSeconds(3600);
        outage.reconnected(new PartitionToken("c"));
        assertThat(lines).hasSize(2);
        reconnecting("a", 3, away);
        outage.reconnected(A);
        assertThat(lines).hasSize(4).last().isEqualTo("the server answers again, after 0 s");
    }

    @Test
    void a_partition_that_is_lost_after_another_one_was_answered_leaves_a_server_that_answers() {
        reconnecting("a", 3, away);
        reconnecting("b", 3, away);
        outage.reconnected(new PartitionToken("b"));
        outage.leaseLost(A, 1);
        assertThat(lines).hasSize(2).last().isEqualTo("the server answers again, after 0 s");
    }

    @Test
    void the_end_of_the_run_is_the_commands_own_line() {
        reconnecting("a", 3, away);
        outage.ended();
        outage.leaseLost(A, 1);
        assertThat(lines).hasSize(1);
    }

    private void reconnecting(String partition, int attempt, SourceException cause) {
        outage.reconnecting(new PartitionToken(partition), attempt, Duration.ofSeconds(1), cause);
    }
}
