package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.PartialResultSet;
import dev.spream.emulator.control.PartitionControl;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The emulator in a Java process of its own, with a heap of 64 MiB: its start, a database, a commit and its change. */
@Timeout(60)
class SmallHeapIT {
    /** The processor time of the start, which a busy machine does not stretch as much as its duration. */
    private static final long LONGEST_START_MILLIS = 5_000;

    /** Prints, at the start of the emulator and at the change, the process's age and its processor time, in milliseconds. */
    public static void main(String[] arguments) {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            printTimes();
            try (RawChangeStream stream =
                    new RawChangeStream(emulator, DatabaseDialect.GOOGLE_STANDARD_SQL, "small-heap")) {
                PartitionControl partitions = stream.partitions();
                partitions.merge(
                        partitions.live().get(0).token(),
                        partitions.live().get(1).token());
                stream.insert(1);
                Iterator<PartialResultSet> query = stream.stub()
                        .executeStreamingSql(stream.query(partitions.live().getFirst(), ByteString.EMPTY));
                while (!query.next().toString().contains("name 1")) {}
            }
            printTimes();
        }
    }

    private static void printTimes() {
        System.out.println(ManagementFactory.getRuntimeMXBean().getUptime());
        long nanos = ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toNanos();
        System.out.println(TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    @Test
    void it_starts_and_streams_a_change_within_64_mebibytes() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx64m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        SmallHeapIT.class.getName())
                .redirectErrorStream(true)
                .start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(printed).isZero();
        List<Long> millis = printed.lines()
                .filter(line -> line.matches("\\d+"))
                .map(Long::valueOf)
                .toList();
        System.out.printf(
                "The emulator with a heap of 64 MiB: started after %d ms, %d of the processor; a change after %d ms, %d%n",
                millis.toArray());
        assertThat(millis.get(1)).isLessThan(LONGEST_START_MILLIS);
    }
}
