package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class HandOversTest {
    private static final PartitionToken CHILD = new PartitionToken("child");

    private final HandOvers handOvers = new HandOvers();

    @Test
    void a_child_of_two_waits_from_the_end_of_the_later_one_and_is_told_once() {
        handOvers.finished(proof(CHILD), 1_000);
        handOvers.finished(proof(CHILD), 4_000);

        assertThat(handOvers.started(CHILD, 9_000)).contains(Duration.ofNanos(5_000));
        assertThat(handOvers.started(CHILD, 10_000)).isEmpty();
    }

    @Test
    void a_child_whose_reader_is_told_first_did_not_wait() {
        assertThat(handOvers.started(CHILD, 1_000)).isEmpty();
        assertThat(handOvers.finished(proof(CHILD), 2_000)).isEqualTo(1);
        assertThat(handOvers.finished(proof(CHILD), 3_000)).isZero();
        assertThat(handOvers.started(CHILD, 9_000)).contains(Duration.ofNanos(6_000));
    }

    @Test
    void children_that_are_read_elsewhere_are_evicted_by_newer_ones() {
        handOvers.finished(proof(CHILD), 1_000);
        for (int i = 0; i < 1_000; i++) {
            handOvers.finished(proof(new PartitionToken("other-" + i)), 2_000);
        }

        assertThat(handOvers.started(CHILD, 9_000)).isEmpty();
        assertThat(handOvers.started(new PartitionToken("other-0"), 9_000)).isPresent();
    }

    private static PartitionEnd proof(PartitionToken child) {
        return PartitionEnd.childPartitions(Instant.EPOCH, List.of(child));
    }
}
