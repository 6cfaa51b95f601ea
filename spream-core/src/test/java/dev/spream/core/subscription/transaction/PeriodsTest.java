package dev.spream.core.subscription.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionGap;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PeriodsTest {
    private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
    private static final int SECONDS = 60;

    @Test
    void a_timestamp_is_in_a_period_from_its_start_and_before_its_end() {
        Periods periods = new Periods();
        periods.add(at(3), at(5));
        periods.add(at(8), at(8));

        assertThat(periods.contains(at(3).minusNanos(1))).isFalse();
        assertThat(periods.contains(at(3))).isTrue();
        assertThat(periods.contains(at(5).minusNanos(1))).isTrue();
        assertThat(periods.contains(at(5))).isFalse();
        assertThat(periods.contains(at(8))).isFalse();
    }

    @Test
    void random_periods_that_overlap_and_touch_contain_what_one_of_them_does() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Periods periods = new Periods();
            List<PartitionGap> added = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                int from = random.nextInt(SECONDS);
                PartitionGap gap = gap(from, from + 1 + random.nextInt(8));
                added.add(gap);
                periods.add(gap.from(), gap.to());
                for (int second = -1; second < SECONDS + 10; second++) {
                    Instant timestamp = at(second);
                    assertThat(periods.contains(timestamp))
                            .as("seed %d: %s in %s", seed, timestamp, added)
                            .isEqualTo(added.stream()
                                    .anyMatch(one -> !timestamp.isBefore(one.from()) && timestamp.isBefore(one.to())));
                }
            }
        }
    }

    private static PartitionGap gap(int from, int to) {
        return new PartitionGap(at(from), at(to));
    }

    private static Instant at(int second) {
        return START.plusSeconds(second);
    }
}
