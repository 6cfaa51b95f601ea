package dev.spream.core.partition;

import static dev.spream.core.partition.PartitionState.CREATED;
import static dev.spream.core.partition.PartitionState.FINISHED;
import static dev.spream.core.partition.PartitionState.RUNNING;
import static dev.spream.core.partition.PartitionState.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PartitionStateTest {
    private static final Map<PartitionState, Set<PartitionState>> TRANSITIONS = Map.of(
            CREATED, EnumSet.of(SCHEDULED),
            SCHEDULED, EnumSet.of(RUNNING),
            RUNNING, EnumSet.of(FINISHED),
            FINISHED, EnumSet.noneOf(PartitionState.class));

    @Test
    void a_partition_goes_one_step_at_a_time_and_never_back() {
        for (PartitionState from : PartitionState.values()) {
            for (PartitionState to : PartitionState.values()) {
                assertThat(from.canBecome(to))
                        .as("%s to %s", from, to)
                        .isEqualTo(TRANSITIONS.getOrDefault(from, Set.of()).contains(to));
            }
        }
    }

    @Test
    void states_have_the_names_that_beam_stores_in_their_order() {
        assertThat(PartitionState.values())
                .extracting(PartitionState::name)
                .containsExactly("CREATED", "SCHEDULED", "RUNNING", "FINISHED");
    }
}
