package dev.spream.core.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The gate over random histories of a stream with mutable key ranges, with crashes and clean-up between. What every
 * partition has stored is compared at each step with what the gate says.
 */
final class LineageMovesPropertyTest {
    private static final int HISTORIES = Integer.getInteger("lineage.histories", 10);

    @Test
    void a_source_is_awaited_until_it_moved_out_and_never_again() {
        int waits = 0;
        int undiscovered = 0;
        for (long seed = 1; seed <= HISTORIES; seed++) {
            RandomMoves history = new RandomMoves(new Random(seed));
            WaitCheck check = new WaitCheck(history);
            try {
                history.readToItsEnd(check::run);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed, e);
            }
            assertThat(history.finished).as("seed %d", seed).isEqualTo(history.stream.keySet());
            waits += check.waits;
            undiscovered += check.undiscovered;
        }
        assertThat(waits).as("waits over all histories").isGreaterThan(HISTORIES * 10);
        assertThat(undiscovered)
                .as("sources that were awaited and not discovered yet")
                .isGreaterThan(HISTORIES / 4);
    }

    /** Asks the gate about every stored move-in, and compares with what the sources have stored. */
    private static final class WaitCheck {
        private final RandomMoves history;
        private final Set<Move> over = new HashSet<>();
        int waits;
        int undiscovered;

        WaitCheck(RandomMoves history) {
            this.history = history;
        }

        void run() {
            Lineage lineage = history.storage.lineage();
            Lineage frontier = history.storage.frontier();
            assertThat(frontier.claimable()).isEqualTo(lineage.claimable());
            for (PartitionMetadata partition : lineage.partitions()) {
                assertThat(frontier.awaitedSources(partition)).isEqualTo(lineage.awaitedSources(partition));
                partition.moveIn().filter(moveIn -> !partition.isFinished()).ifPresent(moveIn -> {
                    List<PartitionToken> awaited = lineage.awaitedSources(partition);
                    moveIn.sources()
                            .forEach(source ->
                                    check(new Move(source, partition.token(), moveIn), awaited.contains(source)));
                });
            }
            boolean stuck = history.held.isEmpty()
                    && lineage.claimable().isEmpty()
                    && lineage.lowWatermark().isPresent();
            assertThat(stuck)
                    .as("unfinished partitions, and none may be acquired: %s", lineage.partitions())
                    .isFalse();
        }

        private void check(Move move, boolean awaited) {
            boolean stored = history.stored(move.source.value()).isPresent();
            if (!awaited) {
                assertThat(hasMovedOut(move)).as("%s is not awaited", move).isTrue();
                over.add(move);
                return;
            }
            waits++;
            undiscovered += stored || isFinished(move) ? 0 : 1;
            assertThat(over).as("awaited again").doesNotContain(move);
            assertThat(stored && hasMovedOut(move)).as("%s is awaited", move).isFalse();
        }

        private boolean hasMovedOut(Move move) {
            return isFinished(move)
                    || history.stored(move.source.value())
                            .filter(source -> source.watermark().isAfter(move.moveIn.timestamp())
                                    || (source.watermark().equals(move.moveIn.timestamp())
                                            && source.moveOuts()
                                                    .filter(moved ->
                                                            moved.destinations().contains(move.destination))
                                                    .isPresent()))
                            .isPresent();
        }

        private boolean isFinished(Move move) {
            return history.finished.contains(move.source.value());
        }
    }

    private record Move(PartitionToken source, PartitionToken destination, MoveIn moveIn) {}
}
