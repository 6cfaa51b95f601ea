package dev.spream.storage.jdbc.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedRequest;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

final class RecentEventsTest {
    private static final SlotRange ALL = SlotRange.of(FeedRequest.all("p"));

    private final RecentEvents recent = new RecentEvents();

    @Test
    void a_slice_that_does_not_begin_at_the_end_is_ignored() {
        recent.beginAt(10);
        recent.add(10, slice(11, 12));
        recent.add(13, slice(14, 15));
        recent.add(10, slice(11, 12));
        assertThat(recent.end()).contains(12L);
        assertThat(recent.after(10, ALL, 10))
                .hasValueSatisfying(slice -> assertThat(slice.events())
                        .extracting(StoredEvent::position)
                        .containsExactly(11L, 12L));
    }

    @Test
    void nothing_is_added_before_it_begins_again() {
        recent.beginAt(10);
        recent.add(10, slice(11, 11));
        recent.forget();
        recent.add(11, slice(12, 12));
        recent.add(0, slice(12, 12));
        assertThat(recent.end()).isEmpty();
        assertThat(recent.after(10, ALL, 10)).isEmpty();
    }

    private static SlotSlice slice(long first, long last) {
        return new SlotSlice(
                LongStream.rangeClosed(first, last)
                        .mapToObj(RecentEventsTest::event)
                        .toList(),
                last);
    }

    private static StoredEvent event(long position) {
        EventEnvelope event =
                new EventEnvelope("e" + position, "a" + position, "T", "{}", 1, TestEvents.NOON, EventMetadata.NONE);
        return new StoredEvent(position, 0, new StoredEvent.Known(event));
    }
}
