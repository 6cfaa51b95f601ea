package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.cli.TailTimes.Range;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class TailTimesTest {
    private static final Instant FIRST = Instant.parse("2026-03-01T10:00:00Z");
    private static final Instant AGAIN = FIRST.plusSeconds(3_600);
    private static final Instant SERVER = FIRST.plusSeconds(1);
    private static final Duration HEARTBEAT = Duration.ofSeconds(10);

    private final PartitionStorage storage = new InMemoryPartitionStorage();

    @Test
    void a_time_relative_to_now_is_that_of_the_first_run() {
        Range first = times("-5m", "+10s", FIRST);
        assertThat(first).isEqualTo(range(FIRST.minusSeconds(300), FIRST.plusSeconds(10)));
        assertThat(times("-5m", "+10s", AGAIN)).isEqualTo(first);
        assertThat(storage.subscription().map(SubscriptionRecord::startTimestamp))
                .contains(FIRST.minusSeconds(300));
    }

    @Test
    void without_a_start_a_relative_end_starts_it_now_by_the_servers_time() {
        assertThat(times(null, "+10s", FIRST))
                .isEqualTo(new Range(Optional.empty(), Optional.of(FIRST.plusSeconds(10))));
        assertThat(storage.subscription().map(SubscriptionRecord::startTimestamp))
                .contains(SERVER);
    }

    @Test
    void a_time_of_the_calendar_is_what_it_is() {
        times("-5m", null, FIRST);
        assertThat(times("2026-03-01T09:00:00Z", "2026-03-01T12:00:00Z", AGAIN))
                .isEqualTo(range(Instant.parse("2026-03-01T09:00:00Z"), Instant.parse("2026-03-01T12:00:00Z")));
    }

    @Test
    void a_relative_end_is_asked_for_where_none_is_stored() {
        times("-5m", null, FIRST);
        assertThat(times("-5m", "+10s", AGAIN)).isEqualTo(range(FIRST.minusSeconds(300), AGAIN.plusSeconds(10)));
    }

    @Test
    void nothing_is_stored_for_times_that_do_not_depend_on_now() {
        assertThat(times("2026-03-01T09:00:00Z", null, FIRST))
                .isEqualTo(new Range(Optional.of(Instant.parse("2026-03-01T09:00:00Z")), Optional.empty()));
        assertThat(times(null, null, FIRST)).isEqualTo(new Range(Optional.empty(), Optional.empty()));
        assertThat(storage.subscription()).isEmpty();
    }

    @Test
    void an_end_before_the_start_stores_nothing() {
        assertThatThrownBy(() -> times("-5m", "-10m", FIRST))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("would end at 2026-03-01T09:50:00Z, before it starts at 2026-03-01T09:55:00Z");
        assertThat(storage.subscription()).isEmpty();
    }

    private Range times(@Nullable String start, @Nullable String end, Instant now) {
        return new TailTimes(parse(start), parse(end), now).resolve(storage, new TimedSource(), HEARTBEAT);
    }

    private static @Nullable TimeArgument parse(@Nullable String text) {
        return text == null ? null : TimeArgument.parse(text);
    }

    private static Range range(Instant start, Instant end) {
        return new Range(Optional.of(start), Optional.of(end));
    }

    /** A stream that knows what time it is. */
    private static final class TimedSource implements ChangeStreamSource {
        @Override
        public String streamName() {
            return "Orders";
        }

        @Override
        public PartitionMode partitionMode() {
            return PartitionMode.IMMUTABLE_KEY_RANGE;
        }

        @Override
        public Optional<Duration> retention() {
            return Optional.empty();
        }

        @Override
        public int maxOpenQueries() {
            return 1;
        }

        @Override
        public Instant serverTime() {
            return SERVER;
        }

        @Override
        public ChangeStreamCursor query(PartitionQuery query) {
            throw new UnsupportedOperationException("nothing is read");
        }

        @Override
        public void close() {}
    }
}
