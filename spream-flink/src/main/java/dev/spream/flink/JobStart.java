package dev.spream.flink;

import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.SubscriptionState;
import dev.spream.core.source.ChangeStreamSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The stream, start and end that a job reads: decided when it begins, and compared with its options when it is restored. */
record JobStart(ChangeStreamSource source, ReadOptions options) {
    private static final Logger log = LoggerFactory.getLogger(JobStart.class);

    /** Returns what a new job reads. Queries the server. */
    SubscriptionRecord begin() {
        PartitionMode mode = source.partitionMode();
        Instant start = start();
        options.endTimestamp().filter(start::isAfter).ifPresent(end -> {
            throw new FlinkRuntimeException(
                    "the end, %s, is before the start, %s; nothing was read. Set an end that is later, or an earlier start"
                            .formatted(end, start));
        });
        return new SubscriptionRecord(
                source.streamName(),
                start,
                options.endTimestamp(),
                options.heartbeatInterval(),
                mode,
                false,
                options.snapshot() ? Optional.of(source.snapshotQuery()) : Optional.empty());
    }

    /** Returns the stored subscription where a new job begins. Queries its storage and the server. */
    SubscriptionState beginFrom(StoredSubscription stored) {
        SubscriptionState state;
        try {
            state = stored.read();
        } catch (StorageException e) {
            if (e.retryable()) {
                throw e;
            }
            throw new FlinkRuntimeException(
                    "the job cannot begin where the stored subscription stands, and has read nothing: "
                            + e.getMessage(),
                    e);
        }
        requireSame(
                state.subscription(),
                "the stored subscription differs from the options of the job",
                "Set the stream and the end of the job to those of the subscription, or move its end first (spream subscription move-end)");
        return state;
    }

    private Instant start() {
        return options.snapshot()
                ? source.snapshotTime()
                : options.startTimestamp().orElseGet(this::serverTime);
    }

    private Instant serverTime() {
        Instant now = source.serverTime();
        log.warn(
                "[{}] no start is set: the job begins at {}, the server's time. If it fails before its first checkpoint has completed, it begins at a later time, and changes in between are not read. Set startAt (scan.startup.timestamp in SQL)",
                source.streamName(),
                now);
        return now;
    }

    /** Refuses a state of another stream, start or end. Queries the server. */
    SubscriptionRecord resume(SubscriptionRecord stored) {
        requireSame(
                stored,
                "the state of the job differs from its options",
                options.stored().isPresent()
                        ? "Use the stored values; a job without this state would begin where the stored subscription stands, and repeat what this one has emitted"
                        : "Use the stored values, or start the job without this state");
        return stored;
    }

    private void requireSame(SubscriptionRecord stored, String problem, String remedy) {
        PartitionMode mode = source.partitionMode();
        List<String> differences = new ArrayList<>();
        if (!stored.streamName().equals(source.streamName())) {
            differences.add("stream is %s, requested is %s".formatted(stored.streamName(), source.streamName()));
        }
        if (stored.partitionMode() != mode) {
            differences.add("partition mode is %s, that of the stream is %s".formatted(stored.partitionMode(), mode));
        }
        options.startTimestamp()
                .filter(start -> !start.equals(stored.startTimestamp()))
                .ifPresent(start ->
                        differences.add("start is %s, requested is %s".formatted(stored.startTimestamp(), start)));
        if (!options.endTimestamp().equals(stored.endTimestamp())) {
            differences.add("end is %s, requested is %s"
                    .formatted(described(stored.endTimestamp()), described(options.endTimestamp())));
        }
        if (!differences.isEmpty()) {
            throw new FlinkRuntimeException(
                    "%s: %s; nothing was read. %s".formatted(problem, String.join("; ", differences), remedy));
        }
    }

    private static String described(Optional<Instant> end) {
        return end.map(Instant::toString).orElse("none");
    }
}
