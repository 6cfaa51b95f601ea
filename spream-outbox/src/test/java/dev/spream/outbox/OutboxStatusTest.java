package dev.spream.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class OutboxStatusTest {
    /** Rows are where an entry stands, columns where it goes, both in the order of the enum. */
    private static final List<String> MOVES = List.of(
            //  pending sending failed succeeded aborted
            "- x - x x", // pending
            "x x x x x", // sending
            "x x - x x", // failed
            "- - - - -", // succeeded
            "x - - - -"); // aborted

    @Test
    void an_entry_makes_exactly_the_moves_of_the_table() {
        List<String> moves = Arrays.stream(OutboxStatus.values())
                .map(from -> Arrays.stream(OutboxStatus.values())
                        .map(to -> from.canBecome(to) ? "x" : "-")
                        .reduce((row, cell) -> row + " " + cell)
                        .orElseThrow())
                .toList();
        assertThat(moves).isEqualTo(MOVES);
    }

    @Test
    void succeeded_and_aborted_entries_are_settled() {
        assertThat(Arrays.stream(OutboxStatus.values()).filter(OutboxStatus::isSettled))
                .containsExactly(OutboxStatus.SUCCEEDED, OutboxStatus.ABORTED);
    }

    @Test
    void every_status_is_found_by_its_text() {
        for (OutboxStatus status : OutboxStatus.values()) {
            assertThat(OutboxStatus.of(status.text())).isEqualTo(status);
        }
        assertThat(OutboxStatus.SENDING.text()).isEqualTo("sending");
        assertThatThrownBy(() -> OutboxStatus.of("SENDING"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'SENDING'");
    }
}
