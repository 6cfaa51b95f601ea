package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ConfigExceptionTest {

    @Test
    void one_problem_is_the_message() {
        var exception = new ConfigException(List.of("sink is not configured"));

        assertThat(exception).hasMessage("sink is not configured");
        assertThat(exception.problems()).containsExactly("sink is not configured");
    }

    @Test
    void more_problems_are_numbered() {
        assertThat(new ConfigException(List.of("one", "two")))
                .hasMessage("2 problems with the configuration:%n1. one%n2. two".formatted());
    }
}
