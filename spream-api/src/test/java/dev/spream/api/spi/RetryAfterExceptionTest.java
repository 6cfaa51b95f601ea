package dev.spream.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class RetryAfterExceptionTest {

    @Test
    void a_delay_is_zero_or_more() {
        assertThat(new RetryAfterException("busy", Duration.ZERO).delay()).isZero();
        assertThatThrownBy(() -> new RetryAfterException("busy", Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected zero or more");
    }
}
