package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class LockedRowsTest {
    private final AtomicLong now = new AtomicLong();
    private final LockedRows rows = new LockedRows(Duration.ofNanos(10), now::get);

    private static List<PartitionToken> rows(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(number -> new PartitionToken("p" + number))
                .toList();
    }

    @Test
    void a_part_that_waits_is_narrowed_to_a_row_within_two_more_failures() {
        rows.waited(rows(0, 1_000));
        assertThat(rows.part(rows(7, 8).getFirst()).orElseThrow().piece()).isEqualTo(32);
        assertThat(rows.anyInSmallerPiece(rows(0, 33))).isTrue();
        rows.waited(rows(0, 32));
        assertThat(rows.part(rows(7, 8).getFirst()).orElseThrow().piece()).isEqualTo(1);
        assertThat(rows.failures(rows(0, 40))).isEqualTo(2);
        rows.committed(rows(0, 32));
        assertThat(rows.any(rows(0, 32))).isFalse();
        assertThat(rows.any(rows(32, 33))).isTrue();
    }

    @Test
    void rows_that_are_not_written_any_more_are_forgotten() {
        rows.waited(rows(0, 5));
        now.set(5);
        rows.waited(rows(0, 1));
        now.set(11);
        assertThat(rows.any(rows(1, 5))).isFalse();
        assertThat(rows.any(rows(0, 1))).isTrue();
        rows.waited(rows(0, 1));
        assertThat(rows.size()).isEqualTo(1);
    }
}
