package dev.spream.core.subscription;

import static dev.spream.testkit.subscription.ScriptedSource.at;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.reading.PartitionReading;
import dev.spream.core.subscription.reading.ReadPosition;
import dev.spream.testkit.LogLines;
import dev.spream.testkit.subscription.ScriptedSource;
import org.junit.jupiter.api.Test;

/** A change that comes behind what a heartbeat or a later change promised is not taken for one that comes again. */
class LateChangeTest {
    private final SubscriberFixture fixture = new SubscriberFixture();
    private final ScriptedSource source = fixture.source;
    private final RecordingConsumer consumer = new RecordingConsumer();

    @Test
    void a_change_behind_a_heartbeat_is_delivered_and_both_positions_are_logged() throws InterruptedException {
        source.roots("p")
                .change("p", 1, "A")
                .heartbeat("p", 5)
                .change("p", 3, "A")
                .change("p", 4, "A");
        try (LogLines lines = new LogLines(PartitionReading.class)) {
            fixture.run(fixture.subscriber(options -> options.endAt(at(9))), consumer);

            assertThat(consumer.labels()).containsExactly("A1", "A3", "A4");
            assertThat(lines.of(Level.WARN, "Orders/p")).first().asString().contains(at(3) + "/tx-p-3", "of " + at(5));
        }
    }

    @Test
    void changes_from_before_a_heartbeat_are_duplicates_after_it() throws InterruptedException {
        source.roots("p")
                .change("p", 1, "A")
                .change("p", 2, "A")
                .change("p", 3, "A")
                .heartbeat("p", 5)
                .change("p", 1, "A")
                .change("p", 2, "A")
                .change("p", 3, "A")
                .change("p", 6, "A");

        fixture.run(fixture.subscriber(options -> options.endAt(at(9))), consumer);

        assertThat(consumer.labels()).containsExactly("A1", "A2", "A3", "A6");
    }

    @Test
    void a_new_change_behind_a_later_one_stops_the_run_with_both_positions() {
        source.roots("p").change("p", 1, "A").change("p", 5, "A").change("p", 3, "A");

        assertThatThrownBy(() -> fixture.run(fixture.subscriber(options -> options.endAt(at(9))), consumer))
                .isInstanceOf(SubscriptionException.class)
                .hasMessageContaining("%s/tx-p-3", at(3))
                .hasMessageContaining("after a change of %s", at(5));

        assertThat(consumer.labels()).doesNotContain("A3");
    }

    @Test
    void a_repetition_is_known_as_such_among_the_last_changes_only() {
        ReadPosition position = new ReadPosition(at(0));
        for (int second = 0; second <= ReadPosition.REMEMBERED; second++) {
            assertThat(position.arrive(change(second))).isEqualTo(ReadPosition.Arrival.IN_ORDER);
        }

        assertThat(position.arrive(change(1))).isEqualTo(ReadPosition.Arrival.REPEATED);
        assertThat(position.arrive(change(0))).isEqualTo(ReadPosition.Arrival.BEHIND_CHANGE);
        assertThat(position.arrive(change(-1))).isEqualTo(ReadPosition.Arrival.REPEATED);
    }

    private static DataChangeRecord change(int second) {
        return ScriptedSource.newChange(second, "A", "tx-" + second);
    }
}
