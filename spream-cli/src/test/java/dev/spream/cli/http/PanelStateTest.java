package dev.spream.cli.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.http.PanelCommand.Outcome;
import dev.spream.cli.output.Members;
import dev.spream.core.record.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class PanelStateTest {
    private final DrivenClock clock = new DrivenClock();
    private final AtomicInteger reads = new AtomicInteger();
    private final PanelState state = new PanelState(
            new Panel() {
                @Override
                public String name() {
                    return "counter";
                }

                @Override
                public Members read() {
                    return new Members().put("reads", reads.incrementAndGet());
                }
            },
            clock);

    @Test
    void a_state_is_read_each_second_while_a_command_runs_and_once_more_after_it() throws Exception {
        assertThat(shown()).isEqualTo(1);
        clock.advance(Duration.ofSeconds(1));
        assertThat(shown()).isEqualTo(1);

        Outcome outcome = state.run(
                (arguments, actor) -> {
                    assertThat(shown()).isEqualTo(2);
                    assertThat(shown()).isEqualTo(2);
                    clock.advance(Duration.ofSeconds(1));
                    assertThat(shown()).isEqualTo(3);
                    return new Outcome(true, "done by " + actor);
                },
                JsonObject.of("{}"),
                "ann");
        assertThat(outcome.text()).isEqualTo("done by ann");
        assertThat(shown()).isEqualTo(4);
        clock.advance(Duration.ofSeconds(1));
        assertThat(shown()).isEqualTo(4);
    }

    private long shown() throws Exception {
        return JsonObject.of(new String(state.answer().body(), StandardCharsets.UTF_8))
                .object("state")
                .orElseThrow()
                .int64("reads")
                .orElseThrow();
    }
}
