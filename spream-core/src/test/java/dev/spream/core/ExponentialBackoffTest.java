package dev.spream.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ExponentialBackoffTest {
    private static final Duration BASE = Duration.ofMillis(100);
    private static final Duration CAP = Duration.ofSeconds(1);

    /** Draws the longest pause, which is the ceiling. */
    private static final RandomGenerator LONGEST = new RandomGenerator() {
        @Override
        public long nextLong() {
            throw new AssertionError("only bounded numbers are asked for");
        }

        @Override
        public long nextLong(long bound) {
            return bound - 1;
        }
    };

    @Test
    void the_ceiling_doubles_up_to_the_cap_and_starts_anew_after_a_reset() {
        ExponentialBackoff backoff = new ExponentialBackoff(BASE, CAP, LONGEST);
        assertThat(Stream.generate(backoff::next).limit(6).map(Duration::toMillis))
                .containsExactly(100L, 200L, 400L, 800L, 1000L, 1000L);
        assertThat(backoff.attempts()).isEqualTo(6);
        backoff.reset();
        assertThat(backoff.attempts()).isZero();
        assertThat(backoff.next()).isEqualTo(BASE);
    }

    @Test
    void the_cap_is_the_ceiling_however_many_attempts_there_were() {
        for (int attempt : new int[] {5, 40, 61, 62, 63, 64, 65, 1_000_000, Integer.MAX_VALUE}) {
            assertThat(ExponentialBackoff.pause(BASE, CAP, attempt, LONGEST)).isEqualTo(CAP);
        }
        Duration longest = Duration.ofNanos((1L << 62) - 1);
        assertThat(ExponentialBackoff.pause(BASE, longest, 1, LONGEST)).isEqualTo(BASE);
        assertThat(ExponentialBackoff.pause(BASE, longest, 63, LONGEST)).isEqualTo(longest);
        assertThat(ExponentialBackoff.pause(CAP, CAP, 1, LONGEST)).isEqualTo(CAP);
    }

    @Test
    void a_pause_is_a_millisecond_at_least_or_the_ceiling_if_that_is_shorter() {
        RandomGenerator shortest = () -> 0;
        for (int attempt : new int[] {1, 2, 63, Integer.MAX_VALUE}) {
            assertThat(ExponentialBackoff.pause(BASE, CAP, attempt, shortest)).isEqualTo(Duration.ofMillis(1));
        }
        Duration microsecond = Duration.ofNanos(1_000);
        assertThat(ExponentialBackoff.pause(microsecond, CAP, 1, shortest)).isEqualTo(microsecond);
        assertThat(ExponentialBackoff.pause(microsecond, CAP, 11, shortest)).isEqualTo(Duration.ofMillis(1));
        Duration millisecond = Duration.ofMillis(1);
        assertThat(ExponentialBackoff.pause(millisecond, millisecond, 9, LONGEST))
                .isEqualTo(millisecond);
    }

    @Test
    void attempts_count_from_one() {
        for (int attempt : new int[] {0, -1, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> ExponentialBackoff.pause(BASE, CAP, attempt, LONGEST))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("attempt is %d, must be 1 or more", attempt);
        }
    }

    @Test
    void a_pause_is_anything_between_a_millisecond_and_the_ceiling() {
        Random random = new Random(1);
        List<Duration> pauses = IntStream.range(0, 500)
                .mapToObj(i -> ExponentialBackoff.pause(BASE, CAP, 2, random))
                .toList();
        assertThat(pauses).allSatisfy(pause -> assertThat(pause).isBetween(Duration.ofMillis(1), BASE.multipliedBy(2)));
        assertThat(pauses).anySatisfy(pause -> assertThat(pause).isLessThan(BASE.dividedBy(5)));
        assertThat(pauses)
                .anySatisfy(pause ->
                        assertThat(pause).isGreaterThan(BASE.multipliedBy(9).dividedBy(5)));
    }
}
