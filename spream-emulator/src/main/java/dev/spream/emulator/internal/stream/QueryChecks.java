package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.PartitionMode;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Checks the arguments of a query against the present state of its stream. */
record QueryChecks(ChangeStream stream, StreamClock clock, ChangeStreamQuery query) {
    private static final Duration MIN_HEARTBEAT = Duration.ofMillis(100);
    private static final Duration MAX_HEARTBEAT = Duration.ofMinutes(5);
    private static final Duration MAX_AHEAD = Duration.ofMinutes(10);
    private static final Duration MAX_WINDOW = Duration.ofMinutes(30);

    Instant start() {
        Instant start = query.start();
        if (start == null) {
            throw Errors.invalidArgument("start_timestamp must not be null.");
        }
        Instant now = clock.time();
        Instant earliest = stream.earliest(now);
        if (start.isBefore(earliest)) {
            throw hasExpired(now) ? StreamErrors.expiredPartition() : StreamErrors.startTooOld(earliest, start);
        }
        Instant latest = now.plus(MAX_AHEAD);
        if (start.isAfter(latest)) {
            throw Errors.outOfRange(
                    "Specified start_timestamp is too far in the future. Please specify a start_timestamp within the"
                            + " earliest read timestamp: " + StreamErrors.text(earliest)
                            + ", and the current maximum start timestamp: " + StreamErrors.text(latest)
                            + ". Received start_timestamp: " + StreamErrors.text(start) + ".");
        }
        checkWindow(start);
        if (start.isAfter(query.until())) {
            throw Errors.invalidArgument(
                    "If end_timestamp is specified, start_timestamp must be <= end_timestamp. Received start_timestamp: "
                            + StreamErrors.text(start) + ", end_timestamp: " + StreamErrors.text(query.until()) + ".");
        }
        return start;
    }

    /** Checks the end of a query of a stream with mutable key ranges, which is limited from the query's start on. */
    private void checkWindow(Instant start) {
        if (stream.definition().partitionMode() == PartitionMode.IMMUTABLE_KEY_RANGE) {
            return;
        }
        if (query.end() == null) {
            throw Errors.invalidArgument("end_timestamp must not be null.");
        }
        Instant latest = start.plus(MAX_WINDOW);
        if (query.end().isAfter(latest)) {
            throw Errors.outOfRange(
                    "Specified end_timestamp is too far in the future. Please specify an end_timestamp within the"
                            + " earliest start timestamp: " + StreamErrors.text(start)
                            + ", and the current maximum end timestamp: " + StreamErrors.text(latest)
                            + ". Received end_timestamp: " + StreamErrors.text(query.end()) + ".");
        }
    }

    private boolean hasExpired(Instant now) {
        return query.partition()
                .flatMap(stream.partitions()::find)
                .flatMap(Partition::end)
                .filter(end -> end.isBefore(stream.horizon(now)))
                .isPresent();
    }

    Duration heartbeat() {
        Long millis = query.heartbeatMillis();
        if (millis == null) {
            throw Errors.invalidArgument("heartbeat_milliseconds must not be null.");
        }
        if (millis < MIN_HEARTBEAT.toMillis() || millis > MAX_HEARTBEAT.toMillis()) {
            throw Errors.outOfRange("heartbeat_milliseconds must be within min " + MIN_HEARTBEAT.toMillis()
                    + " and max " + MAX_HEARTBEAT.toMillis() + ". Received heartbeat_milliseconds: " + millis + ".");
        }
        return Duration.ofMillis(millis);
    }

    void readOptions() {
        if (query.hasReadOptions()) {
            throw Errors.unimplemented("read_options must be null.");
        }
    }

    Optional<Partition> partition() {
        return query.partition()
                .map(token -> stream.partitions()
                        .find(token)
                        .orElseThrow(() -> Errors.invalidArgument(
                                "Specified partition_token is invalid, as it does not belong to the Change Stream associated with"
                                        + " the TVF. Received partition_token: " + token + ".")));
    }

    static void life(Partition partition, Instant start) {
        Instant end = partition.end().orElse(Instant.MAX);
        if (start.isBefore(partition.start()) || start.isAfter(end)) {
            throw StreamErrors.startOutsidePartition(partition.start(), end, start);
        }
    }
}
