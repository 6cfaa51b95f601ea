package dev.spream.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RetryLaterExceptionTest {

    @Test
    void a_delay_is_zero_or_more() {
        assertThat(new RetryLaterException("busy", Duration.ZERO).delay()).isZero();
        assertThatThrownBy(() -> new RetryLaterException("busy", Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected zero or more");
    }
}
