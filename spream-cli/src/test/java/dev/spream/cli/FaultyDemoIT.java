package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The demo while its streams break, as a user runs it. */
final class FaultyDemoIT {
    private static final int TRANSACTIONS = 150;

    static Stream<Arguments> combinations() {
        return Matrix.of(
                2,
                Stream.of(
                        Arguments.of("googlesql", "none", "64"),
                        Arguments.of("postgresql", "key", "64"),
                        Arguments.of("googlesql", "key", "64"),
                        Arguments.of("postgresql", "partition", "8")));
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void streams_that_break_and_stall_and_repeat_cost_no_change_and_no_order(
            String dialect, String ordering, String maxInflight) throws Exception {
        try (SpreamProcess demo = SpreamProcess.spream(
                "tail",
                "--demo",
                "--faults",
                "--transactions",
                String.valueOf(TRANSACTIONS),
                "--duration",
                "4s",
                "--dialect",
                dialect,
                "--ordering",
                ordering,
                "--max-inflight",
                maxInflight)) {
            assertThat(demo.exitCode()).as("%s", demo.err()).isZero();
            DemoVerdict verdict = DemoVerdict.of(demo);
            assertThat(verdict.count("committed")).isEqualTo(2 * TRANSACTIONS);
            assertThat(verdict.count("lost")).isZero();
            assertThat(verdict.count("delivered")).isEqualTo(2 * TRANSACTIONS + verdict.count("duplicated"));
            boolean claimed = !ordering.equals("none");
            assertThat(verdict.claimsOrder()).isEqualTo(claimed);
            if (claimed) {
                assertThat(verdict.count("disordered")).isZero();
            } else {
                assertThat(verdict.count("disordered"))
                        .as("what nobody keeps in order")
                        .isPositive();
            }
            assertThat(verdict.faultKinds()).as("kinds of faults").hasSizeGreaterThanOrEqualTo(3);
            assertThat(verdict.count("faults")).isGreaterThanOrEqualTo(5);
            assertThat(verdict.count("reconnects")).isPositive();
            assertThat(demo.err()).as("nothing but the seed and the verdict").hasSize(2);
        }
    }
}
