package dev.spream.cli.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.cli.output.ProgressLine;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class RemovalProgressTest {
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private long nanos;

    @Test
    void a_terminal_shows_one_line_that_is_updated_and_erased() {
        RemovalProgress progress = progress(true);
        removed(progress, 1_000, 100);
        removed(progress, 1_000, 400);
        progress.close();
        progress.close();
        assertThat(text()).isEqualTo("\rremoved 2,000 entries, 4,000 a second\033[K\r\033[K");
        assertThat(progress.sum()).isEqualTo(2_000);
    }

    @Test
    void a_log_gets_a_line_now_and_then() {
        RemovalProgress progress = progress(false);
        removed(progress, 1_000, 5_000);
        removed(progress, 1_000, 5_000);
        removed(progress, 500, 5_000);
        progress.close();
        assertThat(text()).isEqualTo("removed 2,000 entries, 200 a second%n".formatted());
        assertThat(progress.sum()).isEqualTo(2_500);
    }

    private RemovalProgress progress(boolean watched) {
        return new RemovalProgress(
                new ProgressLine(new PrintStream(err, true, StandardCharsets.UTF_8), watched, () -> nanos), "entries");
    }

    private void removed(RemovalProgress progress, int more, long afterMillis) {
        nanos += TimeUnit.MILLISECONDS.toNanos(afterMillis);
        progress.removed(more);
    }

    private String text() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
