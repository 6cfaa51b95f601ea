package dev.spream.sinks;

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
import org.junit.jupiter.api.Test;

final class JsonLinesTest {
    private static final Delivery DELIVERY =
            new Delivery(new PartitionToken("p"), 1, 1, Optional.empty(), Optional.empty());

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    @Test
    void each_change_is_a_line_that_reads_back() throws Exception {
        try (JsonLines lines = JsonLines.start(out)) {
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
        try (JsonLines lines = JsonLines.start(watching)) {
            lines.consume(change("1"), DELIVERY);
            assertThat(written.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void a_broken_pipe_means_that_the_reader_has_gone() throws Exception {
        try (JsonLines lines = JsonLines.start(failing("Broken pipe"))) {
            assertThatThrownBy(() -> {
                        lines.consume(change("1"), DELIVERY);
                        lines.flush();
                    })
                    .isInstanceOf(IOException.class);
            assertThat(lines.isReaderClosed()).isTrue();
            assertThatThrownBy(() -> lines.consume(change("2"), DELIVERY))
                    .as("nothing is buffered without a reader")
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(lines::flush).as("nor counted as written").isInstanceOf(IOException.class);
        }
    }

    @Test
    void a_full_disk_is_a_failure_each_time() throws Exception {
        JsonLines lines = JsonLines.start(failing("No space left on device"));
        lines.consume(change("1"), DELIVERY);
        assertThatThrownBy(lines::flush).hasMessageContaining("No space left on device");
        assertThatThrownBy(lines::flush).hasMessageContaining("No space left on device");
        assertThat(lines.isReaderClosed()).isFalse();
        assertThatThrownBy(lines::close).hasMessageContaining("No space left on device");
        lines.close();
    }

    @Test
    void nothing_is_written_after_a_part_was_and_then_a_failure() throws Exception {
        try (FailingOnce disk = new FailingOnce(10)) {
            JsonLines lines = JsonLines.start(disk);
            lines.consume(change("1"), DELIVERY);
            assertThatThrownBy(lines::flush).hasMessageContaining("No space left on device");
            assertThatThrownBy(() -> lines.consume(change("2"), DELIVERY))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("may end in the middle of a line")
                    .hasRootCauseMessage("No space left on device");
            assertThatThrownBy(lines::flush).hasRootCauseMessage("No space left on device");
            assertThatThrownBy(lines::close).hasRootCauseMessage("No space left on device");
            assertThat(disk.written.size()).as("bytes, none of them twice").isEqualTo(10);
            assertThat(lines.written()).isEqualTo(1);
        }
    }

    @Test
    void a_change_that_is_longer_than_the_buffer_breaks_the_output_in_the_same_way() throws Exception {
        try (FailingOnce disk = new FailingOnce(10)) {
            JsonLines lines = JsonLines.start(disk);
            assertThatThrownBy(() -> lines.consume(change("x".repeat(1 << 17)), DELIVERY))
                    .hasMessage("the output cannot be written: No space left on device");
            assertThatThrownBy(() -> lines.consume(change("2"), DELIVERY))
                    .hasRootCauseMessage("No space left on device");
            assertThatThrownBy(lines::flush).hasRootCauseMessage("No space left on device");
            assertThat(disk.written.size()).isEqualTo(10);
        }
    }

    @Test
    void a_background_failure_is_reported_by_the_next_call_even_if_it_has_passed() throws Exception {
        try (FailingOnce disk = new FailingOnce(0)) {
            JsonLines lines = JsonLines.start(disk);
            lines.consume(change("1"), DELIVERY);
            assertThat(disk.failed.await(30, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(lines::flush).hasRootCauseMessage("No space left on device");
            assertThatThrownBy(() -> lines.consume(change("2"), DELIVERY))
                    .hasRootCauseMessage("No space left on device");
            assertThat(disk.written.size()).isZero();
        }
    }

    @Test
    void a_stream_that_throws_something_else_is_broken_as_well() throws Exception {
        OutputStream wrong = new OutputStream() {
            @Override
            public void write(int b) {
                throw new IllegalStateException("wrong");
            }
        };
        JsonLines lines = JsonLines.start(wrong);
        assertThatThrownBy(() -> lines.consume(change("x".repeat(1 << 17)), DELIVERY))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> lines.consume(change("2"), DELIVERY)).hasRootCauseMessage("wrong");
    }

    @Test
    void after_closing_nothing_is_taken_and_closing_again_is_harmless() throws Exception {
        JsonLines lines = JsonLines.start(out);
        lines.consume(change("1"), DELIVERY);
        lines.close();
        lines.close();
        assertThatThrownBy(() -> lines.consume(change("2"), DELIVERY))
                .isInstanceOf(IOException.class)
                .hasMessage("the output is closed");
        lines.flush();
        assertThat(out.toString(StandardCharsets.UTF_8).lines()).hasSize(1);
    }

    /** A disk that is full for a moment, in the middle of a write. */
    private static final class FailingOnce extends OutputStream {
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private final CountDownLatch failed = new CountDownLatch(1);
        private final int room;

        FailingOnce(int room) {
            this.room = room;
        }

        @Override
        public void write(int b) throws IOException {
            if (written.size() == room && failed.getCount() > 0) {
                failed.countDown();
                throw new IOException("No space left on device");
            }
            written.write(b);
        }
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
