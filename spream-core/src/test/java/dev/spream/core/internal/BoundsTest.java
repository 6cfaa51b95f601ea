package dev.spream.core.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class BoundsTest {
    private static final Duration MIN = Duration.ofSeconds(1);
    private static final Duration MAX = Duration.ofMinutes(1);

    @Test
    void a_value_outside_becomes_the_nearest_bound() {
        assertThat(Bounds.clamp(MIN.minusNanos(1), MIN, MAX)).isEqualTo(MIN);
        assertThat(Bounds.clamp(Duration.ofSeconds(5), MIN, MAX)).isEqualTo(Duration.ofSeconds(5));
        assertThat(Bounds.clamp(MAX.plusNanos(1), MIN, MAX)).isEqualTo(MAX);
    }

    @Test
    void bounds_are_inclusive_and_the_message_names_field_value_and_bounds() {
        assertThatCode(() -> Bounds.requireBetween("pause", MIN, MIN, MAX)).doesNotThrowAnyException();
        assertThatCode(() -> Bounds.requireBetween("pause", MAX, MIN, MAX)).doesNotThrowAnyException();
        assertThatThrownBy(() -> Bounds.requireBetween("pause", MAX.plusSeconds(1), MIN, MAX))
                .hasMessage("pause is 1 min 1 s, must be 1 s to 1 min");
        assertThatThrownBy(() -> Bounds.requireBetween("limit", 0, 1, 9)).hasMessage("limit is 0, must be 1 to 9");
    }
}
