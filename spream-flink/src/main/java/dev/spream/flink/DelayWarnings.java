package dev.spream.flink;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.apache.flink.util.FlinkRuntimeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns, once a minute, of partitions that have not been read for over a minute because of how the job is configured; and
 * fails a job in which no checkpoint is started, and which would let them wait for ever.
 */
final class DelayWarnings {
    private static final Logger log = LoggerFactory.getLogger(DelayWarnings.class);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration LIMIT = Duration.ofHours(1); // or two intervals of checkpoints

    private final String streamName;
    private final InstantSource clock;
    private final Duration limit;
    private SplitAssigner.Counts counts = SplitAssigner.Counts.NONE;
    private Optional<Instant> checkpointDue = Optional.empty();
    private Optional<Instant> checkpointMissing = Optional.empty();
    private Optional<Instant> roomDue = Optional.empty();
    private boolean hasCheckpoints;

    /** @param checkpointInterval the interval of the job's checkpoints; empty if it is not known */
    DelayWarnings(String streamName, InstantSource clock, Optional<Duration> checkpointInterval) {
        this.streamName = streamName;
        this.clock = clock;
        this.limit = checkpointInterval
                .map(interval -> interval.multipliedBy(2))
                .filter(twice -> twice.compareTo(LIMIT) > 0)
                .orElse(LIMIT);
    }

    void counted(SplitAssigner.Counts latest) {
        counts = latest;
        checkpointDue = due(checkpointDue, latest.waitingForCheckpoint(), PATIENCE);
        checkpointMissing = due(checkpointMissing, latest.waitingForCheckpoint(), limit);
        roomDue = due(roomDue, latest.tooMany(), PATIENCE);
    }

    private Optional<Instant> due(Optional<Instant> known, int waiting, Duration after) {
        if (waiting == 0) {
            return Optional.empty();
        }
        return known.isPresent() ? known : Optional.of(clock.instant().plus(after));
    }

    private Instant later() {
        return clock.instant().plus(PATIENCE);
    }

    void checkpointStarted() {
        hasCheckpoints = true;
    }

    void checkpointCompleted() {
        if (checkpointDue.isPresent()) {
            checkpointDue = Optional.of(later());
        }
    }

    /** @throws FlinkRuntimeException if partitions wait for a checkpoint, and none was started for too long */
    void warnIfDue() {
        Instant now = clock.instant();
        if (!hasCheckpoints && checkpointMissing.filter(now::isAfter).isPresent()) {
            throw new FlinkRuntimeException(
                    "[%s] %d partitions wait for a checkpoint, and none was started within %s: changes of their keys would never be read; the job fails. Enable checkpoints (execution.checkpointing.interval), aligned ones, in streaming mode (execution.runtime-mode), or set ordering to NONE if the order of changes does not matter. If their interval is longer than that, add the source by addTo, which takes it into account"
                            .formatted(streamName, counts.waitingForCheckpoint(), DurationText.of(limit)));
        }
        if (checkpointDue.filter(now::isAfter).isPresent()) {
            checkpointDue = Optional.of(later());
            log.warn(
                    "[{}] {} partitions wait for a checkpoint, and none has completed for over a minute: changes of their keys were read by other subtasks, and theirs are read once a checkpoint covers those. Enable checkpoints (execution.checkpointing.interval), aligned ones, or shorten their interval, or find out why they fail",
                    streamName,
                    counts.waitingForCheckpoint());
        }
        if (roomDue.filter(now::isAfter).isPresent()) {
            roomDue = Optional.of(later());
            log.warn(
                    "[{}] for over a minute there have been {} partitions more than the readers can read at the same time: every reader has as many queries open as its connections allow, and its partitions take turns. Changes that are not read within the retention period are lost. Raise the parallelism of the source, or the number of its channels",
                    streamName,
                    counts.tooMany());
        }
    }
}
