package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigException;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StreamTimesTest {
    private static final Instant FIRST = Instant.parse("2026-03-01T10:00:00Z");
    private static final Instant AGAIN = FIRST.plusSeconds(3_600);

    private final ScriptedSource source = new ScriptedSource();
    private final PartitionStorage storage = new InMemoryPartitionStorage();

    private record Range(@Nullable String start, @Nullable String end) {}

    @Test
    void a_time_relative_to_now_is_that_of_the_first_run() {
        Range first = resolve("-5m", "+10s", FIRST);
        assertThat(first).isEqualTo(new Range("2026-03-01T09:55:00Z", "2026-03-01T10:00:10Z"));
        assertThat(stored()).as("before the server has accepted the start").isEmpty();
        store(FIRST.minusSeconds(300), Optional.of(FIRST.plusSeconds(10)));
        assertThat(resolve("-5m", "+10s", AGAIN)).isEqualTo(first);
    }

    @Test
    void a_range_stored_by_another_process_applies_to_relative_times_only() {
        assertThat(options("-5m", null, FIRST).storedRange()).isTrue();
        assertThat(options("2026-03-01T09:00:00Z", null, FIRST).storedRange()).isFalse();
        store(FIRST, Optional.empty());
        assertThat(options("-5m", null, AGAIN).storedRange()).isFalse();
    }

    @Test
    void without_a_start_a_relative_end_leaves_it_to_the_servers_time() {
        assertThat(resolve(null, "+10s", FIRST)).isEqualTo(new Range(null, "2026-03-01T10:00:10Z"));
    }

    @Test
    void a_time_of_the_calendar_is_what_it_is() {
        store(FIRST.minusSeconds(300), Optional.empty());
        assertThat(resolve("2026-03-01T09:00:00Z", "2026-03-01T13:00:00+01:00", AGAIN))
                .isEqualTo(new Range("2026-03-01T09:00:00Z", "2026-03-01T12:00:00Z"));
    }

    @Test
    void a_relative_end_is_asked_for_where_none_is_stored() {
        store(FIRST.minusSeconds(300), Optional.empty());
        assertThat(resolve("-5m", "+10s", AGAIN)).isEqualTo(new Range("2026-03-01T09:55:00Z", "2026-03-01T11:00:10Z"));
    }

    @Test
    void nothing_is_stored_for_times_that_do_not_depend_on_now() {
        assertThat(resolve("2026-03-01T09:00:00Z", null, FIRST)).isEqualTo(new Range("2026-03-01T09:00:00Z", null));
        assertThat(resolve(null, null, FIRST)).isEqualTo(new Range(null, null));
        assertThat(stored()).isEmpty();
    }

    @Test
    void an_end_before_the_start_stores_nothing() {
        assertThatThrownBy(() -> resolve("-5m", "-10m", FIRST))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(
                        "endTimestamp 2026-03-01T09:50:00Z is before startTimestamp 2026-03-01T09:55:00Z");
        assertThat(stored()).isEmpty();
        assertThat(new StreamTimes(time("2026-03-01T09:00:00Z"), time("2026-03-01T08:00:00Z")).problem())
                .contains("end 2026-03-01T08:00:00Z is before start 2026-03-01T09:00:00Z");
        assertThat(new StreamTimes(time("now"), time("-5m")).problem()).contains("end -5m is before start now");
        assertThat(new StreamTimes(time("-5m"), time("now")).problem()).isEmpty();
        assertThat(new StreamTimes(time("now"), time("2026-03-01T08:00:00Z")).problem())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"now", "+10s", "-5m", "+1d", "2026-01-31T12:00:00Z", "0001-01-01T00:00:00Z"})
    void a_time_is_written_as_it_is_read(String text) {
        assertThat(StreamTime.TYPE.write(StreamTime.TYPE.read(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"yesterday", "10s", "+10", "2026-01-31", "2026-01-31T12:00:00", "0000-01-01T00:00:00Z", "+-5s"})
    void an_invalid_time_is_refused(String text) {
        assertThatThrownBy(() -> StreamTime.TYPE.read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expected ");
    }

    private SubscriberOptions options(@Nullable String start, @Nullable String end, Instant now) {
        return new StreamTimes(time(start), time(end)).resolve(SubscriberOptions.defaults(), storage, now);
    }

    private void store(Instant start, Optional<Instant> end) {
        storage.openSubscription(new SubscriptionRecord(
                source.streamName(), start, end, Duration.ofSeconds(10), PartitionMode.IMMUTABLE_KEY_RANGE, false));
    }

    private Range resolve(@Nullable String start, @Nullable String end, Instant now) {
        SubscriberOptions options = options(start, end, now);
        return new Range(
                options.startTimestamp().map(Instant::toString).orElse(null),
                options.endTimestamp().map(Instant::toString).orElse(null));
    }

    private static Optional<StreamTime> time(@Nullable String text) {
        return Optional.ofNullable(text).map(StreamTime.TYPE::read);
    }

    private Optional<Instant> stored() {
        return storage.subscription().map(SubscriptionRecord::startTimestamp);
    }
}
