package dev.spream.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The gate over random histories: a change stream that splits, merges and moves is read to its end, partition by
 * partition in any order, with crashes and clean-up between. What the stream's partitions are is known beforehand here,
 * and compared at each step with what the gate says from what was discovered.
 */
final class LineagePropertyTest {
    private static final int HISTORIES = Integer.getInteger("lineage.histories", 30);

    @Test
    void a_partition_passes_only_after_all_its_parents_finished_and_then_for_ever() {
        int splits = 0;
        int missing = 0;
        for (long seed = 1; seed <= HISTORIES; seed++) {
            RandomHistory history = new RandomHistory(new Random(seed));
            GateCheck check = new GateCheck(history);
            try {
                history.readToItsEnd(check::run);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            splits += history.stream.size();
            missing += check.gatesWithMissingParents;
        }
        assertThat(splits).as("partitions over all histories").isGreaterThan(HISTORIES * 10);
        assertThat(missing)
                .as("histories knew parents that were not discovered yet")
                .isGreaterThan(HISTORIES);
    }

    /** Asks the gate about every partition that was discovered, and compares with what the stream is. */
    private static final class GateCheck {
        private final RandomHistory history;
        private final Set<String> passed = new HashSet<>();
        int gatesWithMissingParents;

        GateCheck(RandomHistory history) {
            this.history = history;
        }

        void run() {
            Lineage lineage = history.storage.lineage();
            for (PartitionMetadata partition : lineage.partitions()) {
                String token = partition.token().value();
                if (partition.isFinished()) {
                    continue;
                }
                if (partition.parentTokens().stream()
                        .anyMatch(parent -> lineage.partition(parent).isEmpty())) {
                    gatesWithMissingParents++;
                }
                boolean passes = lineage.parentsFinished(partition);
                if (passes && !partition.token().isRoot()) {
                    assertThat(history.finished)
                            .as("parents finished of %s", token)
                            .containsAll(history.parentsOf(token));
                }
                assertThat(passes || !passed.contains(token))
                        .as("%s passed once and does not pass any more", token)
                        .isTrue();
                if (passes) {
                    passed.add(token);
                }
            }
            boolean stuck = history.held.isEmpty()
                    && lineage.claimable().isEmpty()
                    && lineage.lowWatermark().isPresent();
            assertThat(stuck)
                    .as("unfinished partitions, and none may be acquired")
                    .isFalse();
        }
    }
}
