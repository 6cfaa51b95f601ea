package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.testkit.consume.ReplaySimulation;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Replays of a dead letter file keep each key in order, and a store that does not is noticed. */
final class ReplaySimulationTest {
    private static final int SEEDS = Integer.getInteger("replay.seeds", 6);

    @Test
    void replays_of_what_has_caught_up_keep_each_key_in_order_through_crashes() throws Exception {
        assertThat(ReplaySimulation.violationsWhenCaughtUp(JsonlFixture::new, SEEDS))
                .isEmpty();
    }

    @Test
    void replays_at_any_time_end_with_each_key_in_order() throws Exception {
        assertThat(ReplaySimulation.violationsAtAnyTime(JsonlFixture::new, SEEDS))
                .isEmpty();
    }

    @Test
    void a_store_that_releases_too_early_or_loses_letters_is_noticed() throws Exception {
        UnaryOperator<DeadLetterStore> neverParks = store -> new ForwardingStore(store) {
            @Override
            public boolean acceptIfParked(DeadLetter letter) {
                return false;
            }
        };
        assertThat(ReplaySimulation.violationsWhenCaughtUp(() -> new JsonlFixture(neverParks), SEEDS))
                .isNotEmpty();
        assertThat(ReplaySimulation.violationsAtAnyTime(() -> new JsonlFixture(neverParks), SEEDS))
                .isNotEmpty();
        assertThat(ReplaySimulation.violationsWhenCaughtUp(
                        () -> new JsonlFixture(ForgetfulStores.ForgetsWhatIsBehind::new), SEEDS))
                .isNotEmpty();
    }
}
