package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.runner.ProjectionSimulation.Sabotage;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The promises of {@link ProjectionManager} in simulated histories. {@code -Dprojection.histories=N} says how many there are,
 * {@code -Dprojection.first=N} where they begin. After 20 or more, others follow as long as something has not happened in any.
 */
final class ProjectionSimulationIT {
    @Test
    void every_history_keeps_all_promises() {
        long first = Long.getLong("projection.first", 121); // from here on, what is rare happens soon
        long count = Long.getLong("projection.histories", 20);
        Map<ProjectionSimulation.Event, Long> tally = new EnumMap<>(ProjectionSimulation.Event.class);
        long startedAt = System.nanoTime();
        for (long seed = first;
                seed < first + count
                        || count >= 20 && seed < first + 500 && !missing(tally).isEmpty();
                seed++) {
            try {
                ProjectionSimulation.run(seed, tally, Sabotage.NONE);
            } catch (Throwable t) {
                throw new AssertionError(
                        "seed %d: %s%n-Dit.test=ProjectionSimulationIT -Dprojection.first=%d -Dprojection.histories=1 repeats it"
                                .formatted(seed, t.getMessage(), seed),
                        t);
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
        System.out.printf(
                Locale.ROOT,
                "projection simulation: %d histories in %.1f s: %s%n",
                count,
                took.toMillis() / 1e3,
                tally);
        if (count >= 20) {
            assertThat(missing(tally)).as("what did not happen in any history").isEmpty();
        }
    }

    private static List<ProjectionSimulation.Event> missing(Map<ProjectionSimulation.Event, Long> tally) {
        return Arrays.stream(ProjectionSimulation.Event.values())
                .filter(event -> !tally.containsKey(event))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void each_sabotage_is_found(Sabotage sabotage) {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= 40; seed++) {
                        ProjectionSimulation.run(seed, new EnumMap<>(ProjectionSimulation.Event.class), sabotage);
                    }
                })
                .isInstanceOf(AssertionError.class);
    }
}
