package dev.spream.cli.subscription;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.subscription.SubscriptionListener.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

final class WatermarkProgressTest {
    private static final PartitionToken PARTITION = new PartitionToken("p");

    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private final WatermarkProgress progress =
            new WatermarkProgress(new PrintStream(terminal, true, UTF_8), () -> now, ZoneOffset.UTC);

    @Test
    void it_says_that_it_waits_up_to_which_time_it_has_read_and_how_much() {
        progress.partitionAcquired(PARTITION, 1, now);
        progress.partitionAcquired(new PartitionToken("q"), 1, now);
        for (int i = 0; i < 1_204; i++) {
            progress.settled(PARTITION, TextFormatTest.change("INSERT", ""), Outcome.CONSUMED, Duration.ZERO);
        }
        now = now.plusSeconds(5);
        progress.lowWatermark(now.minusSeconds(2));
        assertThat(progress.text()).isEqualTo("waiting · 2 partitions · read up to 12:00:03 (2 s ago) · 1,204 changes");

        progress.partitionReleased(PARTITION);
        progress.settled(PARTITION, TextFormatTest.change("INSERT", ""), Outcome.CONSUMED, Duration.ZERO);
        assertThat(progress.text()).isEqualTo("1,205 changes · 241/s · 1 partition · read up to 12:00:03 (2 s ago)");
    }

    @Test
    void before_the_first_record_it_says_that_nothing_is_read() {
        assertThat(progress.text()).isEqualTo("waiting · 0 partitions · nothing read yet · 0 changes");
    }

    @Test
    void the_line_is_erased_before_a_record() throws IOException {
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        progress.line().clearingBefore(records).write("record\n".getBytes(UTF_8));
        assertThat(terminal.toString(UTF_8)).isEqualTo("\r\u001b[K");
        assertThat(records.toString(UTF_8)).isEqualTo("record\n");
    }
}
