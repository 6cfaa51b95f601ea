package dev.spream.core.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.TransactionMode;
import dev.spream.core.partition.PartitionMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The promises of {@link Subscriber} in simulated histories, half of them of streams with mutable key ranges, two
 * of five with whole transactions.
 * {@code -Dsimulation.seed=N} repeats one of them and writes it out, call by call; {@code -Dsimulation.histories=N} says how
 * many there are, {@code -Dsimulation.first=N} where they begin. Others follow as long as something has not happened in any.
 */
class SimulationIT {
    private static final Path HISTORIES = Path.of("target", "simulation");

    /**
     * With the rarest events, such as a call under a lease that is over; and those in which {@link SimulationJudgeIT} shows
     * what a sabotage does that most histories do not show.
     */
    private static final List<Long> RARE = List.of(
            4735L, 4742L, 4754L, 4894L, 4914L, 2L, 10L, 11L, 12L, 31L, 34L, 45L, 55L, 56L, 79L, 85L, 87L, 91L, 105L,
            128L, 753L);

    /** Those that the crashes need, tried before others: of each mode, with calls that most do not have. */
    private static final long[] WITH_CALLS = {33, 35, 68, 87, 110, 2332};

    /** One moment in so many has a crash, others in each mode. */
    private static final long STRIDE = Long.getLong("simulation.stride", 3);

    @Test
    void every_history_keeps_all_promises() throws IOException {
        Long seed = Long.getLong("simulation.seed");
        if (seed != null) {
            SimulationHistory history = new SimulationHistory(true);
            try {
                Simulation.run(seed, new SimulationTally(), history, SimulationSabotage.NONE);
            } finally {
                System.out.println("simulation: the history of seed " + seed + " is in " + write(seed, history));
            }
            return;
        }
        long first = Long.getLong("simulation.first", 4814);
        long count = Long.getLong("simulation.histories", 60);
        SimulationTally tally = new SimulationTally();
        long startedAt = System.nanoTime();
        for (long rare : RARE) {
            keepsAllPromises(rare, tally);
        }
        long more = 0;
        for (; more < count || more < 1_000 && !missing(tally).isEmpty(); more++) {
            keepsAllPromises(first + more, tally);
        }
        long all = RARE.size() + more;
        Duration took = Duration.ofNanos(System.nanoTime() - startedAt);
        System.out.printf(
                Locale.ROOT,
                "simulation: %d histories in %.1f s, %.0f a second: %s%n",
                all,
                took.toMillis() / 1e3,
                all * 1e9 / took.toNanos(),
                tally);
        assertThat(missing(tally)).as("what did not happen in any history").isEmpty();
    }

    private static List<SimulationEvent> missing(SimulationTally tally) {
        return Arrays.stream(SimulationEvent.values())
                .filter(event -> tally.of(event) == 0)
                .toList();
    }

    private static void keepsAllPromises(long seed, SimulationTally tally) throws IOException {
        try {
            Simulation.run(seed, tally);
        } catch (Throwable t) {
            SimulationHistory history = new SimulationHistory(true);
            try {
                Simulation.run(seed, new SimulationTally(), history, SimulationSabotage.NONE);
            } catch (Throwable again) {
                t.addSuppressed(again);
            }
            throw new AssertionError(
                    "seed %d: %s%nIts history is in %s; -Dit.test=SimulationIT -Dsimulation.seed=%d repeats it"
                            .formatted(seed, t.getMessage(), write(seed, history), seed),
                    t);
        }
    }

    private static Path write(long seed, SimulationHistory history) throws IOException {
        Files.createDirectories(HISTORIES);
        return Files.write(HISTORIES.resolve("seed-" + seed + ".txt"), history.lines());
    }

    @Test
    void the_same_seed_gives_the_same_history() {
        for (long seed = 1; seed <= 6; seed++) {
            List<String> history = historyOf(seed);
            assertThat(historyOf(seed)).as("seed %d", seed).isEqualTo(history);
            assertThat(history).as("seed %d", seed).hasSizeGreaterThan(50);
        }
    }

    private static List<String> historyOf(long seed) {
        SimulationHistory history = new SimulationHistory(true);
        Simulation.run(seed, new SimulationTally(), history, SimulationSabotage.NONE);
        return history.lines();
    }

    @Test
    void a_crash_at_moments_of_all_port_calls_breaks_no_promise() {
        long modes = 0;
        for (PartitionMode mode : PartitionMode.values()) {
            for (TransactionMode transactions : TransactionMode.values()) {
                long seed = LongStream.concat(LongStream.of(WITH_CALLS), LongStream.iterate(1, next -> next + 1))
                        .filter(next -> Simulation.modeOf(next) == mode)
                        .filter(next -> Simulation.transactionsOf(next) == transactions)
                        .filter(next -> {
                            long moments = Simulation.moments(next);
                            return moments > 100 && moments < 250;
                        })
                        .filter(next -> hasRareCalls(next, mode, transactions))
                        .findFirst()
                        .orElseThrow();
                for (long moment = Simulation.moments(seed); moment > 0; moment--) {
                    if (moment % STRIDE == modes % STRIDE) {
                        Simulation.runWithCrash(seed, moment);
                    }
                }
                modes++;
            }
        }
    }

    /** A history of most seeds has no moves, and does not last until something is removed. */
    private static boolean hasRareCalls(long seed, PartitionMode mode, TransactionMode transactions) {
        List<String> rare = mode == PartitionMode.MUTABLE_KEY_RANGE
                ? List.of("waitForMoveIn")
                : transactions == TransactionMode.WHOLE
                        ? List.of("cleanUp", "expireWorkers", "forgetProofs")
                        : List.of();
        String history = String.join("\n", historyOf(seed));
        return rare.stream().allMatch(history::contains);
    }
}
