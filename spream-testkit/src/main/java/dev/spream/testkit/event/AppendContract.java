package dev.spream.testkit.event;

import static dev.spream.testkit.event.EventStoreStage.ids;
import static dev.spream.testkit.event.EventStoreStage.versions;
import static dev.spream.testkit.event.TestEvents.METADATA;
import static dev.spream.testkit.event.TestEvents.NOON;
import static dev.spream.testkit.event.TestEvents.newEvent;
import static dev.spream.testkit.event.TestEvents.newEvents;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.event.VersionConflictException;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract of appends: their effects and their errors. */
interface AppendContract extends EventStoreStage {

    @Test
    default void events_are_numbered_from_1_in_their_order_and_are_there_as_they_were_given() {
        List<RecordedEvent> appended = store().append("a", ExpectedVersion.none(), newEvents("e1", "e2", "e3"));
        assertThat(versions(appended)).containsExactly(1L, 2L, 3L);
        assertThat(appended).extracting(RecordedEvent::position).isSorted().doesNotHaveDuplicates();
        assertThat(appended.getFirst().position()).isPositive();
        TestEvents.assertSame(
                appended.stream().map(RecordedEvent::event).toList(),
                List.of(
                        newEvent("e1").of("a", 1),
                        newEvent("e2").of("a", 2),
                        newEvent("e3").of("a", 3)));
        requireSame(all("a"), appended);
        requireSame(anotherStore().read("a", 0, 10), appended);
    }

    private static void requireSame(List<RecordedEvent> actual, List<RecordedEvent> expected) {
        assertThat(EventStoreStage.positions(actual)).isEqualTo(EventStoreStage.positions(expected));
        TestEvents.assertSame(
                actual.stream().map(RecordedEvent::event).toList(),
                expected.stream().map(RecordedEvent::event).toList());
    }

    @Test
    default void positions_continue_after_a_restart() {
        append("a", "e1", "e2");
        append("b", "e3");
        assertThat(versions(store().append("a", ExpectedVersion.exactly(2), newEvents("e4", "e5"))))
                .containsExactly(3L, 4L);
        assertThat(versions(append("b", "e6"))).containsExactly(2L);
        assertThat(idsOf("a")).containsExactly("e1", "e2", "e4", "e5");
        assertThat(idsOf("b")).containsExactly("e3", "e6");
    }

    @Test
    default void an_event_without_metadata_with_long_names_and_any_json_is_kept() {
        String longId = "i".repeat(200);
        String longAggregate = "ä".repeat(1_024);
        List<String> data = List.of("null", "true", "-1.5e3", "\"x\"", "[1, [2]]", "{}", "{\"a\":{\"b\":[]}}");
        List<NewEvent> events = IntStream.range(0, data.size())
                .mapToObj(i ->
                        new NewEvent(i == 0 ? longId : "e" + i, "t".repeat(200), data.get(i), NOON, EventMetadata.NONE))
                .toList();
        store().append(longAggregate, ExpectedVersion.none(), events);
        List<EventEnvelope> expected = IntStream.range(0, data.size())
                .mapToObj(i -> events.get(i).of(longAggregate, i + 1))
                .toList();
        TestEvents.assertSame(
                all(longAggregate).stream().map(RecordedEvent::event).toList(), expected);
    }

    @Test
    default void another_version_than_expected_is_a_conflict_and_nothing_is_appended() {
        append("a", "e1", "e2");
        for (long expected : new long[] {0, 1, 3}) {
            assertThatExceptionOfType(VersionConflictException.class)
                    .isThrownBy(() -> store().append("a", ExpectedVersion.exactly(expected), newEvents("x", "y")))
                    .satisfies(conflict -> {
                        assertThat(conflict.aggregateId()).isEqualTo("a");
                        assertThat(conflict.expected()).isEqualTo(expected);
                        assertThat(conflict.actual()).isEqualTo(2);
                    });
        }
        assertThatExceptionOfType(VersionConflictException.class)
                .isThrownBy(() -> store().append("new", ExpectedVersion.exactly(1), newEvents("x")));
        assertThat(idsOf("a")).containsExactly("e1", "e2");
        assertThat(all("new")).isEmpty();
        assertThat(ids(store().readAll(0, 10))).containsExactly("e1", "e2");
    }

    @Test
    default void an_append_that_is_repeated_gives_the_same_and_appends_nothing() {
        append("a", "e1");
        List<RecordedEvent> first = store().append("a", ExpectedVersion.exactly(1), newEvents("e2", "e3"));
        requireSame(store().append("a", ExpectedVersion.exactly(1), newEvents("e2", "e3")), first);
        append("a", "e4");
        requireSame(anotherStore().append("a", ExpectedVersion.exactly(1), newEvents("e2", "e3")), first);
        assertThat(idsOf("a")).containsExactly("e1", "e2", "e3", "e4");
    }

    @Test
    default void an_append_at_any_version_that_is_repeated_gives_the_same_wherever_that_is() {
        append("a", "e1");
        List<RecordedEvent> first = append("a", "e2", "e3");
        append("a", "e4");
        requireSame(append("a", "e2", "e3"), first);
        requireSame(append("a", "e2"), first.subList(0, 1));
        assertThat(idsOf("a")).containsExactly("e1", "e2", "e3", "e4");
    }

    @Test
    default void events_that_are_there_elsewhere_or_in_another_order_are_a_conflict() {
        append("a", "e1", "e2", "e3");
        for (List<NewEvent> others : List.of(newEvents("e2", "e1"), newEvents("e1", "x"), newEvents("e1", "e3"))) {
            assertThatExceptionOfType(VersionConflictException.class)
                    .isThrownBy(() -> store().append("a", ExpectedVersion.none(), others));
        }
        assertThat(idsOf("a")).containsExactly("e1", "e2", "e3");
    }

    @Test
    default void an_id_that_another_event_has_is_refused_and_nothing_is_appended() {
        append("a", "e1", "e2");
        refused("b", ExpectedVersion.none(), newEvents("x", "e1"));
        refused("b", ExpectedVersion.any(), newEvents("e1"));
        refused("a", ExpectedVersion.exactly(2), newEvents("x", "e1"));
        refused("a", ExpectedVersion.any(), newEvents("e2", "e1"));
        refused("a", ExpectedVersion.any(), newEvents("x", "e1"));
        refused("b", ExpectedVersion.none(), newEvents("x", "y", "x"));
        assertThat(all("b")).isEmpty();
        assertThat(idsOf("a")).containsExactly("e1", "e2");
    }

    @Test
    default void no_event_at_all_is_refused() {
        refused("a", ExpectedVersion.any(), List.of());
    }

    @Test
    default void data_that_are_not_json_are_refused_and_not_shown_and_nothing_is_appended() {
        for (String data : List.of("", " ", "secret", "{\"secret\":", "{\"secret\":1} 2", "{'secret':1}", "01")) {
            NewEvent bad = new NewEvent("bad", "ItemAdded", data, NOON, METADATA);
            assertThatThrownBy(() -> store().append("a", ExpectedVersion.any(), List.of(newEvent("good"), bad)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bad")
                    .hasMessageNotContaining("secret");
        }
        assertThat(all("a")).isEmpty();
    }

    private void refused(String aggregateId, ExpectedVersion expected, List<NewEvent> events) {
        assertThatThrownBy(() -> store().append(aggregateId, expected, events))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    default void of_concurrent_appends_at_an_expected_version_one_succeeds() {
        for (int round = 0; round < 10; round++) {
            int version = round;
            List<Boolean> succeeded = threads()
                    .together(IntStream.range(0, 6)
                            .mapToObj(writer -> (java.util.concurrent.Callable<Boolean>)
                                    () -> tryAppend(writer, version, "r%d w%d".formatted(version, writer)))
                            .toList());
            assertThat(succeeded).containsOnlyOnce(true);
        }
        assertThat(versions(all("a"))).isEqualTo(counting(10));
    }

    private boolean tryAppend(int writer, long version, String eventId) {
        EventStore store = writer % 2 == 0 ? store() : anotherStore();
        try {
            store.append("a", ExpectedVersion.exactly(version), newEvents(eventId));
            return true;
        } catch (VersionConflictException e) {
            return false;
        }
    }

    @Test
    default void concurrent_appends_at_the_version_read_leave_no_gap() {
        threads()
                .together(IntStream.range(0, 6)
                        .mapToObj(writer -> (java.util.concurrent.Callable<Boolean>) () -> appendUntilDone(writer, 10))
                        .toList());
        assertThat(versions(all("a"))).isEqualTo(counting(60));
        assertThat(idsOf("a")).doesNotHaveDuplicates();
        assertThat(all("a")).extracting(RecordedEvent::position).isSorted().doesNotHaveDuplicates();
    }

    private boolean appendUntilDone(int writer, int count) {
        for (int i = 0; i < count; i++) {
            boolean done = false;
            while (!done) {
                done = tryAppend(writer, all("a").size(), "w%d e%d".formatted(writer, i));
            }
        }
        return true;
    }

    @Test
    default void concurrent_appends_at_any_version_all_succeed_without_a_gap() {
        threads()
                .together(IntStream.range(0, 6)
                        .mapToObj(writer -> (java.util.concurrent.Callable<Boolean>) () -> {
                            for (int i = 0; i < 10; i++) {
                                EventStore store = writer % 2 == 0 ? store() : anotherStore();
                                store.append(
                                        "a",
                                        ExpectedVersion.any(),
                                        newEvents("w%d e%d".formatted(writer, i), "w%d f%d".formatted(writer, i)));
                            }
                            return true;
                        })
                        .toList());
        assertThat(versions(all("a"))).isEqualTo(counting(120));
    }

    private static List<Long> counting(int to) {
        return Stream.iterate(1L, n -> n + 1).limit(to).toList();
    }
}
