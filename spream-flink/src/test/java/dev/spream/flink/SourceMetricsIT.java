package dev.spream.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.emulator.SpannerEmulator;
import dev.spream.emulator.control.FaultRates;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metrics of a job, as a reporter of the cluster finds them. */
class SourceMetricsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long CHANGES = 20;

    @TempDir
    Path directory;

    @Test
    void the_metrics_of_the_guide_are_reported() throws Exception {
        InMemoryReporter reporter = InMemoryReporter.createWithRetainedMetrics();
        try (SpannerEmulator emulator = FlinkJobIT.emulator("IMMUTABLE_KEY_RANGE", FaultRates.none());
                SpannerConnection connection = FlinkJobIT.connect(emulator);
                MiniCluster cluster = JobCluster.notStarted(reporter.addToConfiguration(new Configuration()))) {
            cluster.start();
            JobID job = cluster.submitJob(job(emulator)).get().getJobID();
            await(() -> metrics(reporter, job, "partitionsReading").anyMatch(gauge -> value(gauge) > 0));
            for (long version = 1; version <= CHANGES; version++) {
                FlinkJobIT.commit(connection.client(), Map.of("key", version));
            }
            await(() -> metrics(reporter, job, "Source.*numRecordsIn").anyMatch(gauge -> value(gauge) == CHANGES));
            await(() -> metrics(reporter, job, "sourceIdleTime").anyMatch(gauge -> value(gauge) > 0));

            assertThat(metrics(reporter, job, "Source.*numBytesIn"))
                    .as("bytes of %d changes", CHANGES)
                    .anyMatch(bytes -> value(bytes) > CHANGES * 50);
            assertThat(metrics(reporter, job, "numRecordsInErrors")).allMatch(errors -> value(errors) == 0);
            for (String lag : List.of("currentFetchEventTimeLag", "currentEmitEventTimeLag", "watermarkLag")) {
                // that of the watermark is Flink's, from the last change on: negative once no more come
                await(() ->
                        metrics(reporter, job, lag).anyMatch(gauge -> Math.abs(value(gauge)) < PATIENCE.toMillis()));
            }
            for (String name : List.of(
                    "unassignedSplits",
                    "partitionsReadToEnd",
                    "partitionsWaitingForCheckpoint",
                    "partitionsWaitingForParents",
                    "partitionsWaitingForSources",
                    "partitionsWaitingForReader",
                    "oldestUnassignedLag",
                    "lowWatermarkLag")) {
                assertThat(metrics(reporter, job, name)).as(name).isNotEmpty().allMatch(gauge -> value(gauge) >= 0);
            }
            assertThat(metrics(reporter, job, "pendingRecords"))
                    .as("their number is not known")
                    .isEmpty();
            cluster.cancelJob(job).get();
        }
    }

    private static Stream<Metric> metrics(InMemoryReporter reporter, JobID job, String name) {
        return reporter.findMetrics(job, name).values().stream()
                .filter(metric -> !(metric instanceof Meter)); // the rates of counters
    }

    private static long value(Metric metric) {
        return metric instanceof Counter counter
                ? counter.getCount()
                : ((Number) ((Gauge<?>) metric).getValue()).longValue();
    }

    private JobGraph job(SpannerEmulator emulator) {
        Configuration configuration = new Configuration();
        configuration.setString("execution.checkpointing.dir", directory.toUri().toString());
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        env.setParallelism(1);
        env.enableCheckpointing(300);
        env.fromSource(
                        FlinkChangeStreamSource.builder(FlinkJobIT.stream(emulator), new FlinkJobIT.Versions())
                                .build(),
                        WatermarkStrategy.noWatermarks(),
                        "changes")
                .sinkTo(new DiscardingSink<>());
        return env.getStreamGraph().getJobGraph();
    }

    /** A condition that metrics which appear meanwhile may fulfil. */
    private interface Condition {
        boolean isMet() throws Exception;
    }

    private static void await(Condition condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.isMet()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}
