package dev.spream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.JsonObject;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LagHistoryTest {
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final LagHistory history = new LagHistory();

    @Test
    void nothing_is_known_before_the_first_sample() {
        assertThat(read().get("times")).isEqualTo(List.of());
        assertThat(read().objects("partitions")).isEmpty();
    }

    @Test
    void a_step_has_its_highest_lag_and_a_partition_that_is_not_read_has_none() {
        add(0, Map.of("a", 1.0, "b", 7.0));
        add(3, Map.of("a", 2.5, "b", 3.0));
        add(5, Map.of("b", 0.5));
        add(10, Map.of("a", 0.25, "b", 0.75));

        assertThat(read().get("times"))
                .isEqualTo(List.of("2026-01-01T00:00:00Z", "2026-01-01T00:00:05Z", "2026-01-01T00:00:10Z"));
        assertThat(lags("a")).isEqualTo(list("2.500", null, "0.250"));
        assertThat(lags("b")).isEqualTo(list("7.000", "0.500", "0.750"));
    }

    @Test
    void the_slowest_come_first_and_the_others_are_a_range() {
        Map<String, Double> lags = new LinkedHashMap<>();
        for (int i = 1; i <= LagHistory.SHOWN + 3; i++) {
            lags.put("p%02d".formatted(i), (double) i);
        }
        add(0, lags);

        JsonObject shown = read();

        assertThat(shown.objects("partitions"))
                .hasSize(LagHistory.SHOWN)
                .first()
                .satisfies(slowest -> assertThat(slowest.string("token")).contains("p11"));
        assertThat(shown.int64("others")).hasValue(3);
        assertThat(shown.get("others_most")).isEqualTo(list("3.000"));
        assertThat(shown.get("others_least")).isEqualTo(list("1.000"));
    }

    @Test
    void a_partition_that_ended_belongs_to_the_others_until_its_steps_are_too_old() {
        add(0, Map.of("ended", 60.0, "live", 1.0));
        add(30, Map.of("live", 1.0));
        add(35, Map.of("live", 1.0));
        assertThat(read().objects("partitions")).hasSize(1);
        assertThat(read().int64("others")).hasValue(1);
        assertThat(read().get("others_most")).isEqualTo(list("60.000", null, null));

        long later = LagHistory.STEPS * LagHistory.STEP.toSeconds();
        add(later, Map.of("live", 1.0));
        assertThat(read().int64("others")).hasValue(0);
        assertThat(read().get("times"))
                .isEqualTo(List.of("2026-01-01T00:00:30Z", "2026-01-01T00:00:35Z", "2026-01-01T00:15:00Z"));
    }

    @Test
    void more_partitions_than_fit_are_counted_and_replace_those_that_ended() {
        Map<String, Double> lags = new LinkedHashMap<>();
        for (int i = 0; i < LagHistory.MAX_PARTITIONS + 5; i++) {
            lags.put("first-" + i, 1.0);
        }
        add(0, lags);
        assertThat(read().int64("not_kept")).hasValue(5);
        assertThat(read().int64("others")).hasValue(LagHistory.MAX_PARTITIONS - LagHistory.SHOWN);

        add(60, Map.of("second", 2.0));
        add(65, Map.of("second", 2.0));
        assertThat(read().int64("not_kept")).hasValue(0);
        assertThat(lags("second")).last().isEqualTo(new BigDecimal("2.000"));
    }

    @Test
    void a_clock_that_is_set_back_changes_nothing() {
        add(60, Map.of("a", 1.0));
        add(0, Map.of("a", 9.0));
        assertThat(lags("a")).isEqualTo(list("1.000"));
    }

    private void add(long second, Map<String, Double> lags) {
        Map<PartitionToken, Duration> durations = new LinkedHashMap<>();
        lags.forEach(
                (token, lag) -> durations.put(new PartitionToken(token), Duration.ofMillis(Math.round(lag * 1_000))));
        history.add(START.plusSeconds(second), durations);
    }

    private JsonObject read() {
        return JsonObject.of(history.members().toString());
    }

    private List<?> lags(String token) {
        return read().objects("partitions").stream()
                .filter(partition ->
                        partition.string("token").filter(token::equals).isPresent())
                .map(partition -> (List<?>) partition.get("lag"))
                .findFirst()
                .orElseThrow();
    }

    private static List<@Nullable BigDecimal> list(@Nullable String... values) {
        List<@Nullable BigDecimal> list = new ArrayList<>();
        for (String value : values) {
            list.add(value == null ? null : new BigDecimal(value));
        }
        return list;
    }
}
