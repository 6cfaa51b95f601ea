package dev.spream.projection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ProjectionOptionsTest {
    @Test
    void the_defaults_are_those_of_the_documentation() {
        assertThat(ProjectionOptions.DEFAULTS)
                .returns(4, ProjectionOptions::segments)
                .returns(1_000, ProjectionOptions::batch)
                .returns(Duration.ZERO, ProjectionOptions::linger)
                .returns(Duration.ofSeconds(15), ProjectionOptions::lease)
                .returns(4, ProjectionOptions::maxAttempts)
                .returns(Duration.ofSeconds(1), ProjectionOptions::initialDelay)
                .returns(Duration.ofSeconds(30), ProjectionOptions::maxDelay)
                .returns(ProjectionOptions.Gaps.WAIT, ProjectionOptions::gaps);
    }
}
