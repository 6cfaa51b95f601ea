package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class JsonLinesTest {
    private static final Delivery DELIVERY = new Delivery(new PartitionToken("p"), 1, 1, Optional.empty());

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void each_change_is_a_line_that_reads_back() throws Exception {
        try (JsonLines lines = JsonLines.start(out, Long.MAX_VALUE, () -> {})) {
            lines.consume(change("1"), DELIVERY);
            lines.consume(change("two\nlines, \u00e9\u4e16"), DELIVERY);
            lines.flush();
            assertThat(lines.written()).isEqualTo(2);
        }
        assertThat(out.toString(StandardCharsets.UTF_8).lines().map(ChangeRecordJson::readDataChange))
                .containsExactly(change("1"), change("two\nlines, \u00e9\u4e16"));
    }

    @Test
    void a_line_is_written_out_without_being_asked_when_nothing_follows() throws Exception {
        CountDownLatch written = new CountDownLatch(1);
        OutputStream watching = new OutputStream() {
            @Override
            public void write(int b) {
                written.countDown();
            }
        };
        try (JsonLines lines = JsonLines.start(watching, Long.MAX_VALUE, () -> {})) {
            lines.consume(change("1"), DELIVERY);
            assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void nothing_is_written_past_the_limit_and_the_one_who_wants_to_waits_for_an_interrupt() throws Exception {
        AtomicInteger reached = new AtomicInteger();
        try (JsonLines lines = JsonLines.start(out, 2, reached::incrementAndGet)) {
            lines.consume(change("1"), DELIVERY);
            assertThat(reached).hasValue(0);
            lines.consume(change("2"), DELIVERY);
            assertThat(reached).hasValue(1);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> lines.consume(change("3"), DELIVERY)).isInstanceOf(InterruptedException.class);
        }
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(2);
    }

    @Test
    void a_broken_pipe_means_that_the_reader_has_gone() throws Exception {
        try (JsonLines lines = JsonLines.start(failing("Broken pipe"), Long.MAX_VALUE, () -> {})) {
            assertThatThrownBy(() -> {
                        lines.consume(change("1"), DELIVERY);
                        lines.flush();
                    })
                    .isInstanceOf(IOException.class);
            assertThat(lines.readerGone()).isTrue();
            assertThatThrownBy(() -> lines.consume(change("2"), DELIVERY))
                    .as("nothing is buffered for nobody")
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(lines::flush).as("nor counted as written").isInstanceOf(IOException.class);
        }
    }

    @Test
    void a_full_disk_is_a_failure_each_time() throws Exception {
        JsonLines lines = JsonLines.start(failing("No space left on device"), Long.MAX_VALUE, () -> {});
        lines.consume(change("1"), DELIVERY);
        assertThatThrownBy(lines::flush).hasMessage("No space left on device");
        assertThatThrownBy(lines::flush).hasMessage("No space left on device");
        assertThat(lines.readerGone()).isFalse();
    }

    private static OutputStream failing(String message) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException(message);
            }
        };
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
