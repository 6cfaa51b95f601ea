package dev.spream.flink;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

/**
 * The metrics of a reader that Flink leaves to the source, in the names of Flink. It counts emitted elements, their lag, the
 * lag of watermarks and idle time by itself. There are no pending records: Spanner does not tell how many there are.
 */
final class ReaderMetrics {
    private static final String FETCH_LAG = "currentFetchEventTimeLag";
    private static final long UNDEFINED = -1; // as in Flink

    private final InstantSource clock;
    private final Counter records;
    private final Counter bytes;
    private final Counter errors;
    private volatile long fetchLag = UNDEFINED; // written by the threads that read

    ReaderMetrics(SourceReaderMetricGroup group, InstantSource clock) {
        this.clock = clock;
        this.records = group.getIOMetricGroup().getNumRecordsInCounter();
        this.bytes = group.getIOMetricGroup().getNumBytesInCounter();
        this.errors = group.getNumRecordsInErrorsCounter();
        group.gauge(FETCH_LAG, (Gauge<Long>) () -> fetchLag);
    }

    /** Notes a change that was read. Called by the threads that read. */
    void fetched(Instant commitTimestamp) {
        fetchLag = Duration.between(commitTimestamp, clock.instant()).toMillis();
    }

    /** Counts a change that is emitted, with its size in memory. Called by the task's thread, like the next. */
    void emitted(long size) {
        records.inc();
        bytes.inc(size);
    }

    /** Counts a change that could not be turned into elements. */
    void failed() {
        errors.inc();
    }
}
