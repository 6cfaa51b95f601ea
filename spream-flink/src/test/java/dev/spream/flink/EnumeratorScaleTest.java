package dev.spream.flink;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionToken;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests of the work of the coordinator's thread with thousands of partitions, in computations over all of them. Each reading of
 * the lineage reads the clock.
 */
final class EnumeratorScaleTest {
    private static final int PARTITIONS = 4000;
    private static final int MOVE_INS = 1000;

    @Test
    void many_move_ins_that_end_together_cost_a_few_computations() {
        EnumeratorStage stage = EnumeratorStage.begin(4);
        stage.roots(IntStream.range(0, PARTITIONS)
                .mapToObj(EnumeratorScaleTest::token)
                .toArray(String[]::new));
        stage.checkpoint(2);
        stage.complete(2);
        // reader 1 has p1, p5, p9, and so on, and waits for p2, p6, p10 of reader 2
        for (int i = 0; i < MOVE_INS; i++) {
            int to = 4 * i + 1;
            stage.enumerator.handleSourceEvent(
                    1, new ReaderEvent.MovedIn(new PartitionToken(token(to)), new MoveIn(at(5), tokens(to + 1))));
        }
        stage.run();

        int before = stage.computations();
        for (int i = 0; i < 100; i++) {
            stage.progressed(0, token(4 * i), 1);
        }
        assertThat(stage.computations())
                .as("after messages that no move-in waits for")
                .isEqualTo(before);

        stage.enumerator.handleSourceEvent(2, departures());
        stage.run();
        assertThat(proceeding(stage)).isZero();
        stage.checkpoint(3);
        before = stage.computations();
        int readings = stage.clockReadings();
        stage.complete(3);

        assertThat(proceeding(stage)).isEqualTo(MOVE_INS);
        assertThat(stage.computations()).isEqualTo(before + 1);
        assertThat(stage.clockReadings() - readings)
                .as("one for each source that is settled, and a few")
                .isLessThan(MOVE_INS + 20);
    }

    private static int proceeding(EnumeratorStage stage) {
        return stage.messagesTo(1, EnumeratorEvent.Proceed.class).size();
    }

    /** Returns the message that the sources have emitted the departures. */
    private static ReaderEvent.Progress departures() {
        return new ReaderEvent.Progress(IntStream.range(0, MOVE_INS)
                .map(i -> 4 * i + 2)
                .mapToObj(source -> new SplitProgress(
                        new PartitionToken(token(source)),
                        at(5),
                        Optional.of(new MoveOuts("1", tokens(source - 1))),
                        List.of()))
                .toList());
    }

    private static String token(int partition) {
        return "p%04d".formatted(partition);
    }

    private static List<PartitionToken> tokens(int partition) {
        return EnumeratorStage.tokens(token(partition));
    }
}
