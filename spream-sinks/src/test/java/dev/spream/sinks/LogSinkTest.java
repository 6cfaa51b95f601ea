package dev.spream.sinks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.testkit.LogLines;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LogSinkTest {

    @Test
    void a_line_says_what_changed_and_holds_nothing_of_the_row() throws Exception {
        try (LogLines logged = new LogLines("dev.spream.sink")) {
            sink(Map.of()).consume(SinkChanges.inserted(1, "alice@example.com"), SinkChanges.DELIVERY);
            assertThat(logged.lines())
                    .containsExactly(
                            "INFO [Orders/…23456789] INSERT Orders, mods: 1, 2026-01-01T00:00:01Z/tx1/00000000");
        }
    }

    @Test
    void level_and_logger_are_as_configured_and_another_attempt_is_said() throws Exception {
        try (LogLines logged = new LogLines("audit")) {
            Delivery third = new Delivery(SinkChanges.DELIVERY.partition(), 1, 3, Optional.empty(), Optional.empty());
            sink(Map.of("level", "warn", "logger", "audit.orders")).consume(SinkChanges.inserted(1, "a"), third);
            assertThat(logged.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .endsWith("/00000000, attempt 3");
        }
    }

    private static Consumer sink(Map<String, String> values) {
        LogSinkProvider provider = new LogSinkProvider();
        return provider.create(TestConfig.of(provider, values), new TestContext());
    }
}
