package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BackoffTest {
    private final RandomGenerator random = new Random(1);

    @Test
    void six_attempts_have_the_first_five_waits_of_the_table() {
        assertThat(secondsAfter(1, 5)).containsExactly(5L, 10L, 20L, 40L, 80L);
    }

    @Test
    void the_sixth_wait_comes_after_the_sixth_attempt_and_repeats_from_then_on() {
        assertThat(secondsAfter(6, 9)).containsExactly(160L, 160L, 160L, 160L);
        assertThat(Backoff.DEFAULT.after(1_000_000, random)).isEqualTo(Duration.ofSeconds(160));
    }

    private List<Long> secondsAfter(int first, int last) {
        return IntStream.rangeClosed(first, last)
                .mapToObj(attempt -> Backoff.DEFAULT.after(attempt, random).toSeconds())
                .toList();
    }

    @Test
    void full_jitter_is_anything_above_nothing_and_up_to_the_doubled_base() {
        Backoff backoff = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(60));
        for (int attempt = 1; attempt <= 9; attempt++) {
            Duration ceiling = Duration.ofMillis(100L << (attempt - 1));
            List<Duration> waits = waits(backoff, attempt);
            assertThat(waits).allSatisfy(wait -> assertThat(wait).isPositive().isLessThanOrEqualTo(ceiling));
            assertThat(waits)
                    .anySatisfy(wait -> assertThat(wait)
                            .isGreaterThan(ceiling.multipliedBy(9).dividedBy(10)));
            assertThat(waits).anySatisfy(wait -> assertThat(wait).isLessThan(ceiling.dividedBy(10)));
        }
    }

    @Test
    void the_cap_bounds_the_jitter_however_many_attempts_there_were() {
        Backoff backoff = Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(30));
        for (int attempt : new int[] {6, 40, 62, 63, 64, 65, 1_000_000}) {
            List<Duration> waits = waits(backoff, attempt);
            assertThat(waits)
                    .allSatisfy(wait -> assertThat(wait).isPositive().isLessThanOrEqualTo(Duration.ofSeconds(30)));
            assertThat(waits).anySatisfy(wait -> assertThat(wait).isGreaterThan(Duration.ofSeconds(25)));
        }
    }

    private List<Duration> waits(Backoff backoff, int attempt) {
        return IntStream.range(0, 500)
                .mapToObj(i -> backoff.after(attempt, random))
                .toList();
    }

    @Test
    void waits_that_make_no_sense_are_refused() {
        assertThatThrownBy(() -> Backoff.table(List.of())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Backoff.table(List.of(Duration.ofSeconds(-1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1 s");
        assertThatThrownBy(() -> Backoff.table(List.of(Duration.ofDays(8))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Backoff.exponential(Duration.ZERO, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Backoff.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cap");
    }
}
