package dev.spream.storage.jdbc.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.testkit.consume.ReplaySimulation;
import org.junit.jupiter.api.Test;

/** Replays of dead letters in PostgreSQL keep each key in order, through crashes. */
final class JdbcReplaySimulationIT {
    private static final int SEEDS = Integer.getInteger("replay.seeds", 2);

    @Test
    void replays_keep_each_key_in_order_through_crashes() throws Exception {
        try (TestDatabase database = new TestDatabase()) {
            ReplaySimulation.Fixtures fixtures = () -> new JdbcFixture(database.dataSource());
            assertThat(ReplaySimulation.violationsWhenCaughtUp(fixtures, SEEDS)).isEmpty();
            assertThat(ReplaySimulation.violationsAtAnyTime(fixtures, SEEDS)).isEmpty();
        }
    }
}
