package dev.spream.storage.spanner.source;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.spream.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SnapshotProgressTest {
    private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    private final LogLines lines = new LogLines(TableSnapshots.class);
    private Instant now = START;
    private final SnapshotProgress progress = new SnapshotProgress("Orders", () -> now);

    @BeforeEach
    void estimate() {
        progress.estimate("Orders", 1_000_000);
        progress.estimate("Lines", 1_000_000);
    }

    @AfterEach
    void close() {
        lines.close();
    }

    @Test
    void a_snapshot_that_is_too_slow_is_warned_of_once() {
        for (int second = 0; second <= 60; second += 5) {
            read("Orders", second, 10_000 + 100L * second);
        }
        assertThat(lines.of(Level.WARN, "Orders")).singleElement().asString().contains("the snapshot may end about ");
        assertThat(lines.of(Level.INFO, "Orders"))
                .hasSize(6)
                .last()
                .asString()
                .endsWith("16000 rows of about 1000000 read in the 1 tables that this process reads");
    }

    @Test
    void tables_that_were_finished_before_a_restart_do_not_count_as_not_read() {
        for (int second = 0; second <= 60; second += 5) {
            read("Orders", second, 900_000 + 100L * second);
        }
        assertThat(lines.of(Level.WARN, "Orders")).isEmpty();
    }

    @Test
    void rows_of_a_table_that_other_workers_read_count() {
        for (int second = 0; second <= 60; second += 5) {
            read("Orders", second, 10_000L * (1 + second / 5)); // ten chunks of a thousand rows, one of them here
        }
        assertThat(lines.of(Level.WARN, "Orders")).isEmpty();
    }

    @Test
    void a_table_that_is_read_no_more_may_be_finished_by_others() {
        read("Lines", 0, 1_000);
        read("Lines", 5, 1_001);
        for (int second = 20; second <= 60; second += 5) {
            read("Orders", second, 10_000L * second);
        }
        assertThat(lines.of(Level.WARN, "Orders")).isEmpty();
    }

    private void read(String table, long second, long upTo) {
        now = START.plusSeconds(second);
        progress.read(table, upTo, START, HOUR);
    }
}
