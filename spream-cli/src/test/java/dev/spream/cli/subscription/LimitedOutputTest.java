package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class LimitedOutputTest {
    private static final Delivery DELIVERY =
            new Delivery(new PartitionToken("p"), 1, 1, Optional.empty(), Optional.empty());

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void writes_past_the_limit_wait_for_an_interrupt() throws Exception {
        AtomicInteger reached = new AtomicInteger();
        try (LimitedOutput lines = new LimitedOutput(out, new JsonFormat(false), 2, reached::incrementAndGet)) {
            lines.consume(change("1"), DELIVERY);
            assertThat(reached).hasValue(0);
            lines.consume(change("2"), DELIVERY);
            assertThat(reached).hasValue(1);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lines.consume(change("3"), DELIVERY)).isInstanceOf(InterruptedException.class);
        }
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(2);
    }

    private static DataChangeRecord change(String key) {
        return new DataChangeRecord(
                Instant.parse("2026-01-01T00:00:00Z"),
                "00000000",
                "1",
                true,
                "T",
                List.<ColumnType>of(),
                List.of(new Mod(JsonObject.of(Map.of("Id", key)), JsonObject.EMPTY, JsonObject.EMPTY)),
                "INSERT",
                "NEW_VALUES",
                1,
                1,
                "",
                false);
    }
}
