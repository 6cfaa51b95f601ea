package dev.spream.cli.panel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import org.junit.jupiter.api.Test;

final class ReplayTaskTest {
    @Test
    void a_replay_begins_as_soon_as_the_one_before_has_answered() throws Exception {
        try (ReplayTask replays = new ReplayTask(() -> {
            throw new StorageException("the database is away", true, null);
        })) {
            for (int round = 0; round < 5_000; round++) {
                assertThat(replays.run(replay -> replay.all()).text()).contains("the database is away");
            }
        }
    }
}
