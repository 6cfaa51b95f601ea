package dev.spream.cli.partition;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.LineageFinding;
import dev.spream.core.partition.LineageReport;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class VerifyCommandTest {
    private static final Instant FROM = Instant.parse("2026-10-22T07:14:02.000000001Z");
    private static final String NOT_PROVEN =
            "not proven: whether everything before 2026-10-22T07:14:02.000000001Z was read, because proofs of partitions that ended before are no longer kept (proof-retention)";

    @Test
    void the_time_that_is_no_longer_proven_is_named() {
        assertThat(VerifyCommand.lines(new LineageReport(9, 4, 3, 0, false, List.of(), List.of(), Optional.of(FROM))))
                .containsExactly(
                        NOT_PROVEN,
                        "verify: proven from 2026-10-22T07:14:02.000000001Z on; 9 partitions, 4 finished, 3 of them removed with proof, 0 accepted gaps");
    }

    @Test
    void a_finding_after_it_is_one() {
        LineageFinding finding = new LineageFinding(
                LineageFinding.Kind.KEPT_DIFFER, List.of(), Optional.empty(), Optional.empty(), "one is missing");
        assertThat(VerifyCommand.lines(
                        new LineageReport(9, 4, 3, 0, false, List.of(), List.of(finding), Optional.of(FROM))))
                .contains("KEPT_DIFFER: one is missing", NOT_PROVEN)
                .last()
                .asString()
                .startsWith("verify: 1 finding; ");
    }
}
