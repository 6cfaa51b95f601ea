package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class BatchBufferTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final long START = Long.MAX_VALUE - SECOND; // the clock wraps around on the way

    private final BatchBuffer gathering =
            new BatchBuffer(ProjectionOptions.DEFAULTS.withBatch(5).withLinger(Duration.ofSeconds(2)));

    private static FeedBatch batch(long first, int count, long head) {
        return new FeedBatch(
                LongStream.range(first, first + count)
                        .<FeedItem>mapToObj(position ->
                                new FeedItem.Event(position, position, Accounts.deposit("account", position, 1)))
                        .toList(),
                first + count - 1,
                head);
    }

    @Test
    void the_first_event_begins_the_wait_and_others_do_not_prolong_it() {
        gathering.add(batch(1, 1, 9), START);
        assertThat(gathering.isDue(START)).isFalse();
        gathering.add(batch(2, 1, 9), START + SECOND);
        assertThat(gathering.idleNanos(START + SECOND)).isEqualTo(SECOND);
        assertThat(gathering.isDue(START + 2 * SECOND - 1)).isFalse();
        assertThat(gathering.isDue(START + 2 * SECOND)).isTrue();
        assertThat(gathering.idleNanos(START + 3 * SECOND)).isZero();
    }

    @Test
    void a_full_batch_waits_for_nothing() {
        gathering.add(batch(1, 3, 9), START);
        assertThat(gathering.room()).isEqualTo(2);
        gathering.add(batch(4, 2, 9), START);
        assertThat(gathering.isDue(START)).isTrue();
    }

    @Test
    void a_batch_of_one_stays_one_however_far_it_is_behind() {
        gathering.behind(51);
        assertThat(gathering.room()).isEqualTo(50);
        BatchBuffer single = new BatchBuffer(ProjectionOptions.DEFAULTS.withBatch(1));
        single.behind(1_000_000);
        assertThat(single.room()).isEqualTo(1);
    }

    @Test
    void huge_events_wait_for_no_others() {
        gathering.add(huge(1), START);
        assertThat(gathering.isDue(START)).isFalse();
        gathering.add(huge(2), START);
        assertThat(gathering.isDue(START)).isTrue();
        gathering.take();
        gathering.add(huge(3), START);
        assertThat(gathering.isDue(START)).isFalse();
    }

    private static FeedBatch huge(long position) {
        EventEnvelope small = Accounts.deposit("account", position, 1);
        EventEnvelope huge = new EventEnvelope(
                small.eventId(),
                small.aggregateId(),
                small.eventType(),
                "\"%s\"".formatted("x".repeat(5 << 20)),
                position,
                small.occurredAt(),
                small.metadata());
        return new FeedBatch(List.of(new FeedItem.Event(position, position, huge)), position, position);
    }

    @Test
    void partial_batches_are_joined_in_order() {
        gathering.add(batch(1, 2, 5), START);
        gathering.add(new FeedBatch(List.of(), 3, 6), START + 1);
        gathering.add(batch(4, 1, 7), START + 2);
        FeedBatch taken = gathering.take();
        assertThat(taken.items()).extracting(FeedItem::deliveryId).containsExactly(1L, 2L, 4L);
        assertThat(taken.position()).isEqualTo(4);
        assertThat(taken.head()).isEqualTo(7);
        assertThat(gathering.isEmpty()).isTrue();
        assertThat(gathering.room()).isEqualTo(5);
    }

    @Test
    void a_position_without_events_waits_for_nothing() {
        gathering.add(new FeedBatch(List.of(), 3, 3), START);
        assertThat(gathering.isDue(START)).isTrue();
        assertThat(gathering.idleNanos(START)).isGreaterThan(SECOND);
    }

    @Test
    void a_buffer_that_is_made_due_does_not_linger() {
        gathering.add(batch(1, 1, 1), START);
        gathering.makeDue(START + 1);
        assertThat(gathering.isDue(START + 1)).isTrue();
    }

    @Test
    void without_linger_nothing_waits() {
        BatchBuffer atOnce = new BatchBuffer(ProjectionOptions.DEFAULTS);
        atOnce.add(batch(1, 1, 1), START);
        assertThat(atOnce.isDue(START)).isTrue();
    }
}
