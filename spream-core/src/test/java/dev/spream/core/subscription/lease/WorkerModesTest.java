package dev.spream.core.subscription.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WorkerModesTest {
    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

    private final List<WorkerRegistration> members = new ArrayList<>();
    private final List<PartitionMetadata> partitions = new ArrayList<>();

    @Test
    void workers_of_one_mode_wait_for_none() {
        whole("a");
        whole("b");
        held("p", "b");
        assertThat(modes("a")).isEqualTo(new WorkerModes(members, List.of(), false));
    }

    @Test
    void the_first_worker_decides_where_none_holds_partitions() {
        whole("b");
        single("a");
        assertThat(awaitedBy("b")).isEmpty();
        assertThat(awaitedBy("a")).containsExactly("b");
    }

    @Test
    void a_worker_that_holds_partitions_decides_before_the_first() {
        whole("a");
        single("b");
        single("c");
        held("p", "c");
        assertThat(awaitedBy("a")).containsExactly("b", "c");
        assertThat(awaitedBy("b")).isEmpty();
        assertThat(awaitedBy("c")).isEmpty();
        assertThat(modes("b").sharing())
                .extracting(member -> member.worker().value())
                .containsExactly("b", "c");
    }

    @Test
    void of_two_modes_that_hold_partitions_the_later_one_hands_over_while_the_other_waits() {
        whole("a");
        single("b");
        held("p", "a");
        held("q", "b");
        assertThat(awaitedBy("a")).containsExactly("b");
        assertThat(modes("a").gives()).isFalse();
        assertThat(awaitedBy("b")).containsExactly("a");
        assertThat(modes("b").gives()).isTrue();
    }

    private WorkerModes modes(String worker) {
        return WorkerModes.of(Lineage.of(partitions, NOW), members, new WorkerId(worker));
    }

    private List<String> awaitedBy(String worker) {
        return modes(worker).awaited().stream()
                .map(member -> member.worker().value())
                .toList();
    }

    private void whole(String worker) {
        member(worker, true);
    }

    private void single(String worker) {
        member(worker, false);
    }

    private void member(String worker, boolean wholeTransactions) {
        members.add(new WorkerRegistration(
                new WorkerId(worker),
                9,
                wholeTransactions,
                NOW.minusSeconds(100).plusSeconds(members.size()),
                NOW.plusSeconds(10),
                Optional.empty(),
                true));
    }

    private void held(String token, String worker) {
        partitions.add(new PartitionMetadata(
                new PartitionToken(token),
                List.of(),
                NOW,
                PartitionState.RUNNING,
                NOW,
                1,
                Optional.of(new WorkerId(worker)),
                Optional.of(NOW.plusSeconds(5)),
                true,
                Optional.empty(),
                NOW,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                List.of(),
                Optional.empty(),
                Optional.empty()));
    }
}
