package dev.spream.testkit.event;

import static dev.spream.testkit.event.EventStoreStage.ids;
import static dev.spream.testkit.event.EventStoreStage.positions;
import static dev.spream.testkit.event.TestEvents.newEvents;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.event.RecordedEvent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The contract of reads. */
interface ReadContract extends EventStoreStage {

    @Test
    default void an_aggregate_without_events_is_empty() {
        append("a", "e1");
        assertThat(all("b")).isEmpty();
        assertThat(anotherStore().readAll(store().readAll(0, 10).getLast().position(), 10))
                .isEmpty();
    }

    @Test
    default void an_aggregate_is_read_from_any_version_on_and_no_further_than_the_limit() {
        append("a", "e1", "e2", "e3");
        append("b", "x");
        append("a", "e4");
        assertThat(ids(store().read("a", 1, 2))).containsExactly("e2", "e3");
        assertThat(ids(store().read("a", 2, 10))).containsExactly("e3", "e4");
        assertThat(store().read("a", 4, 10)).isEmpty();
        assertThat(store().read("a", 40, 10)).isEmpty();
        assertThat(ids(store().read("a", 0, Integer.MAX_VALUE))).containsExactly("e1", "e2", "e3", "e4");
    }

    @Test
    default void all_events_are_read_in_the_order_of_their_positions_from_any_on() {
        append("a", "e1", "e2");
        append("b", "e3");
        append("a", "e4");
        List<RecordedEvent> all = store().readAll(0, 10);
        assertThat(ids(all)).containsExactly("e1", "e2", "e3", "e4");
        assertThat(positions(all)).isSorted().doesNotHaveDuplicates();
        assertThat(ids(store().readAll(all.get(1).position(), 10))).containsExactly("e3", "e4");
        assertThat(ids(store().readAll(all.get(0).position(), 2))).containsExactly("e2", "e3");
        assertThat(ids(anotherStore().readAll(0, Integer.MAX_VALUE))).containsExactly("e1", "e2", "e3", "e4");
    }

    @Test
    default void a_reader_that_continues_during_appends_misses_nothing_and_keeps_the_order() {
        AtomicBoolean over = new AtomicBoolean();
        Future<List<RecordedEvent>> reader = threads().start(() -> readUntil(over));
        threads()
                .together(IntStream.range(0, 5)
                        .mapToObj(writer -> (Callable<Boolean>) () -> appendMany(writer))
                        .toList());
        over.set(true);
        List<RecordedEvent> read = Threads.resultOf(reader);
        assertThat(ids(read)).doesNotHaveDuplicates().hasSize(5 * 40 * 2);
        assertThat(positions(read)).isSorted();
        Map<String, Long> last = new HashMap<>();
        for (RecordedEvent event : read) {
            assertThat(event.event().eventVersion())
                    .as("version of %s", event.event())
                    .isEqualTo(last.merge(event.event().aggregateId(), 1L, Long::sum));
        }
    }

    /** Reads repeatedly, and after {@code over} until nothing is left. */
    private List<RecordedEvent> readUntil(AtomicBoolean over) {
        List<RecordedEvent> read = new ArrayList<>();
        boolean ends = false;
        while (!ends) {
            boolean last = over.get();
            long after = read.isEmpty() ? 0 : read.getLast().position();
            List<RecordedEvent> next = anotherStore().readAll(after, 7);
            read.addAll(next);
            assertThat(read).as("no event twice").hasSizeLessThan(1_000);
            ends = last && next.isEmpty();
        }
        return read;
    }

    private boolean appendMany(int writer) {
        for (int i = 0; i < 40; i++) {
            String id = "w%d e%d".formatted(writer, i);
            store().append("aggregate " + (i % 3), ExpectedVersion.any(), newEvents(id, id + "b"));
        }
        return true;
    }

    @Test
    default void closing_a_store_twice_is_harmless_and_leaves_others_as_they_are() {
        append("a", "e1");
        EventSource source = anotherStore().source();
        EventFeed feed = source.open(FeedRequest.all("p"));
        anotherStore().close();
        anotherStore().close();
        feed.close();
        source.close();
        assertThat(idsOf("a")).containsExactly("e1");
    }
}
