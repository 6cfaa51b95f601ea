package dev.spream.cli.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.partition.PartitionToken;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FutureStartTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void a_start_in_the_future_is_said_once_and_shown_while_it_lasts() {
        List<String> lines = new ArrayList<>();
        FutureStart start = new FutureStart(lines::add, () -> NOW);
        start.partitionAcquired(PartitionToken.ROOT, 1, NOW.plusSeconds(1));
        assertThat(lines).isEmpty();
        start.waitingForStart(NOW.plusSeconds(3600));
        assertThat(lines).hasSize(1);
        start.partitionAcquired(PartitionToken.ROOT, 2, NOW.plusSeconds(3600));
        assertThat(lines)
                .containsExactly(
                        "the start is in the future: waiting until 2026-01-01T01:00:00Z, for 1 h; nothing is read"
                                + " before");
        WatermarkProgress progress = new WatermarkProgress(new PrintStream(new ByteArrayOutputStream()), () -> NOW);
        progress.lowWatermark(NOW.plusSeconds(90));
        assertThat(progress.text()).isEqualTo("waiting until 2026-01-01T00:01:30Z, for another 1 min 30 s");
    }
}
