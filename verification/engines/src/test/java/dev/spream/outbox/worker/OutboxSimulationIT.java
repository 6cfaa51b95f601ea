package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.worker.OutboxSimulation.Sabotage;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The promises of {@link OutboxWorker} in simulated histories. {@code -Doutbox.histories=N} says how many there are,
 * {@code -Doutbox.first=N} where they begin.
 */
final class OutboxSimulationIT {
    @Test
    void every_history_keeps_all_promises() {
        long first = Long.getLong("outbox.first", 1);
        long count = Long.getLong("outbox.histories", 20);
        Map<OutboxSimulation.Event, Long> tally = new EnumMap<>(OutboxSimulation.Event.class);
        long startedAt = System.nanoTime();
        for (long seed = first; seed < first + count; seed++) {
            try {
                OutboxSimulation.run(seed, tally, Sabotage.NONE);
            } catch (Throwable t) {
                throw new AssertionError(
                        "seed %d: %s%n-Dit.test=OutboxSimulationIT -Doutbox.first=%d -Doutbox.histories=1 repeats it"
                                .formatted(seed, t.getMessage(), seed),
                        t);
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
        System.out.printf(
                Locale.ROOT, "outbox simulation: %d histories in %.1f s: %s%n", count, took.toMillis() / 1e3, tally);
        if (count >= 20) {
            assertThat(Arrays.stream(OutboxSimulation.Event.values()).filter(event -> !tally.containsKey(event)))
                    .as("what did not happen in any history")
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void each_sabotage_is_found(Sabotage sabotage) {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= 40; seed++) {
                        OutboxSimulation.run(seed, new EnumMap<>(OutboxSimulation.Event.class), sabotage);
                    }
                })
                .isInstanceOf(AssertionError.class);
    }
}
