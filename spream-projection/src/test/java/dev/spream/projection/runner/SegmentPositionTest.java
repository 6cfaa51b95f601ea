package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.FeedRequest;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SegmentPositionTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LATER = 5_000 * MILLI; // no position was stored for long

    @Test
    void it_is_ahead_from_a_move_until_it_is_stored() {
        SegmentPosition position = position(0, 1);
        assertThat(position.isAhead()).isFalse();
        position.processedUpTo(7, 0);
        assertThat(position.isAhead()).isTrue();
        position.storedUpTo(7, 0);
        assertThat(position.isAhead()).isFalse();
    }

    @Test
    void idle_segments_are_due_one_after_another() {
        assertThat(IntStream.range(0, 4).mapToLong(segment -> {
                    SegmentPosition position = position(segment, 4);
                    position.processedUpTo(7, LATER);
                    return position.untilDue(true, LATER) / MILLI;
                }))
                .containsExactly(0L, 4L, 8L, 12L);
    }

    @Test
    void later_moves_do_not_put_it_off() {
        SegmentPosition position = position(3, 4);
        position.processedUpTo(7, LATER);
        position.processedUpTo(8, LATER + 10 * MILLI);
        assertThat(position.untilDue(true, LATER + 12 * MILLI)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1, 200", "4, 200", "64, 256", "256, 1024"})
    void it_is_stored_at_most_five_times_a_second_and_less_often_among_many_segments(int segments, long millis) {
        SegmentPosition position = position(0, segments);
        position.storedUpTo(7, LATER);
        position.processedUpTo(8, LATER);
        assertThat(position.untilDue(true, LATER)).isEqualTo(millis * MILLI);
    }

    @Test
    void that_of_a_version_that_follows_is_stored_more_often() {
        SegmentPosition position = position(3, 4);
        position.storedUpTo(7, LATER);
        position.processedUpTo(8, LATER);
        assertThat(position.untilDue(false, LATER)).isEqualTo(50 * MILLI);
    }

    private static SegmentPosition position(int segment, int segments) {
        return new SegmentPosition(new FeedRequest("p", segment, segments, 0), 0);
    }
}
