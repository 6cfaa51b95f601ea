package dev.spream.examples.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.examples.order.BrokerMode.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BrokerModeTest {
    @Test
    void a_request_changes_what_it_says_and_whether_keys_are_recognised_stays() {
        BrokerMode broken = BrokerMode.SOUND.changedBy(
                "{\"mode\": \"slow\", \"rate\": 0.25, \"seed\": 7, \"delay_ms\": 40, \"recognises_keys\": false}");
        assertThat(broken).isEqualTo(new BrokerMode(Fault.SLOW, 0.25, 7, Duration.ofMillis(40), false));

        BrokerMode fixed = broken.changedBy("{\"mode\": \"ok\"}");
        assertThat(fixed).isEqualTo(new BrokerMode(Fault.OK, 1, 0, Duration.ofSeconds(5), false));
        assertThat(BrokerMode.SOUND.changedBy(broken.json().toString())).isEqualTo(broken);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "{\"mode\": \"odd\"}",
                "{\"mode\": [1, 2]}",
                "{\"mode\": {}}",
                "{\"mode\": \"ok\", \"rate\": 2}",
                "{\"mode\": \"ok\", \"rate\": \"often\"}",
                "{\"mode\": \"ok\", \"rate\": null}",
                "{\"mode\": \"ok\", \"delay_ms\": -1}",
                "{\"mode\": \"ok\", \"delay_ms\": 1e9}",
                "{\"mode\": \"ok\", \"colour\": 1}"
            })
    void an_invalid_mode_is_refused(String body) {
        assertThatThrownBy(() -> BrokerMode.SOUND.changedBy(body)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_refusal_says_whether_the_mode_is_missing_unknown_or_its_rate_out_of_range() {
        assertThatThrownBy(() -> BrokerMode.SOUND.changedBy("{\"rate\": 7}"))
                .hasMessageContaining("mode is missing")
                .hasMessageContaining("timeout-after-accept");
        assertThatThrownBy(() -> BrokerMode.SOUND.changedBy("{\"mode\": \"odd\"}"))
                .hasMessageContaining("mode must be one of");
        assertThatThrownBy(() -> BrokerMode.SOUND.changedBy("{\"mode\": \"ok\", \"rate\": 7}"))
                .hasMessageContaining("rate must be 0 to 1");
    }
}
