package dev.spream.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The check over random histories: it believes what happened, at every step, and finds whatever is spoilt. */
final class LineageCheckPropertyTest {
    private static final int HISTORIES = Integer.getInteger("lineage.histories", 8);
    private static final List<StateSabotage> ALL = List.of(StateSabotage.values());

    @Test
    void a_history_that_happened_has_no_findings_at_any_step() {
        for (long seed = 1; seed <= HISTORIES; seed++) {
            RandomHistory history = new RandomHistory(new Random(seed));
            long named = seed;
            history.readToItsEnd(
                    () -> assertThat(StoredState.of(history.storage).check())
                            .as("seed %d", named)
                            .satisfies(report -> assertThat(report.findings()).isEmpty()));
            LineageReport report = StoredState.of(history.storage).check();
            assertThat(report.completed()).isTrue();
            assertThat(report.finished()).isEqualTo(report.partitions()).isEqualTo(history.stream.size() + 1);
        }
    }

    @Test
    void every_sabotage_of_the_stored_state_is_found() {
        Map<StateSabotage, Integer> found = new EnumMap<>(StateSabotage.class);
        for (long seed = 1; seed <= HISTORIES; seed++) {
            Random random = new Random(-seed);
            RandomHistory history = new RandomHistory(new Random(seed));
            history.readToItsEnd(() -> {
                StateSabotage sabotage = ALL.get(random.nextInt(ALL.size()));
                StoredState state = StoredState.of(history.storage);
                sabotage.spoil(state, random).ifPresent(spoilt -> {
                    assertThat(spoilt.check().findings())
                            .as("%s of %s, made of %s", sabotage, spoilt, state)
                            .isNotEmpty();
                    found.merge(sabotage, 1, Integer::sum);
                });
            });
        }
        assertThat(found.keySet()).containsExactlyElementsOf(ALL);
        assertThat(found.values()).allSatisfy(times -> assertThat(times).isGreaterThan(HISTORIES / 2));
    }

    /** Records of living partitions name new ones, which no end names: if one of these is missing, that may not be found. */
    @Test
    void in_a_history_of_moves_every_missing_end_is_found_and_many_a_missing_partition() {
        Map<StateSabotage, Integer> found = new EnumMap<>(StateSabotage.class);
        List<StateSabotage> some =
                List.of(StateSabotage.DROP_AN_END, StateSabotage.DROP_A_ROW, StateSabotage.DROP_A_PROOF);
        for (long seed = 1; seed <= HISTORIES; seed++) {
            Random random = new Random(-seed);
            RandomMoves history = new RandomMoves(new Random(seed));
            history.readToItsEnd(() -> {
                StoredState state = StoredState.of(history.storage);
                assertThat(state.check().findings()).as("of %s", state).isEmpty();
                StateSabotage sabotage = some.get(random.nextInt(some.size()));
                sabotage.spoil(state, random).ifPresent(spoilt -> {
                    boolean isFound = !spoilt.check().findings().isEmpty();
                    assertThat(isFound || sabotage != StateSabotage.DROP_AN_END)
                            .as("%s, made of %s", spoilt, state)
                            .isTrue();
                    found.merge(sabotage, isFound ? 1 : 0, Integer::sum);
                });
            });
        }
        assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(some);
        assertThat(found.values()).allSatisfy(times -> assertThat(times).isGreaterThan(HISTORIES));
    }

    @Test
    void a_history_whose_proofs_are_forgotten_has_no_findings_at_any_step() {
        int forgotten = 0;
        for (long seed = 1; seed <= HISTORIES; seed++) {
            Random random = new Random(-seed);
            RandomHistory history = new RandomHistory(new Random(seed));
            long named = seed;
            history.readToItsEnd(() -> {
                forgetSome(history, random);
                assertThat(StoredState.of(history.storage).check())
                        .as("seed %d", named)
                        .satisfies(report -> assertThat(report.findings()).isEmpty());
            });
            LineageReport report = StoredState.of(history.storage).check();
            assertThat(report.completed()).isTrue();
            forgotten += history.stream.size() + 1 - report.partitions();
        }
        assertThat(forgotten).as("forgotten partitions").isGreaterThan(HISTORIES * 5);
    }

    @Test
    void a_partition_that_is_missing_after_the_forgotten_time_is_found() {
        Map<StateSabotage, Integer> found = new EnumMap<>(StateSabotage.class);
        for (long seed = 1; seed <= HISTORIES; seed++) {
            Random random = new Random(-seed);
            RandomHistory history = new RandomHistory(new Random(seed));
            history.readToItsEnd(() -> {
                forgetSome(history, random);
                StoredState state = StoredState.of(history.storage);
                StateSabotage sabotage = random.nextBoolean() ? StateSabotage.DROP_A_ROW : StateSabotage.DROP_A_PROOF;
                sabotage.spoil(state, random)
                        .filter(spoilt -> lastsInto(state, spoilt))
                        .ifPresent(spoilt -> {
                            assertThat(spoilt.check().findings())
                                    .as("%s of %s, made of %s", sabotage, spoilt, state)
                                    .isNotEmpty();
                            found.merge(sabotage, 1, Integer::sum);
                        });
            });
        }
        assertThat(found.values())
                .hasSize(2)
                .allSatisfy(times -> assertThat(times).isGreaterThan(HISTORIES));
    }

    private static void forgetSome(RandomHistory history, Random random) {
        if (random.nextInt(3) == 0) {
            history.storage.forgetProofs(Instant.MAX);
        }
    }

    /** Returns whether the missing partition did not end before the time from which on the lineage is proven. */
    private static boolean lastsInto(StoredState whole, StoredState spoilt) {
        return Stream.concat(
                        whole.partitions().stream()
                                .filter(row -> !spoilt.partitions().contains(row))
                                .map(LineageNode::of),
                        whole.proofs().stream()
                                .filter(proof -> !spoilt.proofs().contains(proof))
                                .map(LineageNode::of))
                .anyMatch(missing -> whole.subscription()
                        .forgotten()
                        .filter(forgotten -> missing.start().isBefore(forgotten.before()) && !forgotten.keeps(missing))
                        .isEmpty());
    }
}
