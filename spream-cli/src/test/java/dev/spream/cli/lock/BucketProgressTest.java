package dev.spream.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.output.ProgressLine;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class BucketProgressTest {
    private final AtomicLong nanos = new AtomicLong();
    private final ByteArrayOutputStream terminal = new ByteArrayOutputStream();

    @Test
    void a_terminal_shows_progress_rate_and_remaining_time() {
        BucketProgress progress = progress(true);
        progress.reached(10_000, 3_145_728);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        progress.reached(210_000, 3_145_728);
        progress.close();
        progress.close();
        assertThat(terminal.toString(StandardCharsets.UTF_8))
                .isEqualTo("\r10,000 of 3,145,728 buckets\033[K"
                        + "\r210,000 of 3,145,728 buckets, 100,000 a second, 29 s left\033[K"
                        + "\r\033[K");
    }

    @Test
    void a_log_gets_a_line_every_ten_seconds() {
        BucketProgress progress = progress(false);
        progress.reached(10_000, 40_000);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        progress.reached(20_000, 40_000);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(9));
        progress.reached(30_000, 40_000);
        progress.close();
        assertThat(terminal.toString(StandardCharsets.UTF_8).lines())
                .containsExactly("20,000 of 40,000 buckets, 1,000 a second, 20 s left");
        assertThat(progress).hasToString("30,000 of 40,000 buckets");
    }

    private BucketProgress progress(boolean watched) {
        return new BucketProgress(
                new ProgressLine(new PrintStream(terminal, true, StandardCharsets.UTF_8), watched, nanos::get));
    }
}
