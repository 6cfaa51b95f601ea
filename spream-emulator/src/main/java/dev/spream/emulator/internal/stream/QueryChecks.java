package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.sql.ChangeStreamQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Checks the arguments of a query against its stream as it is now. */
final class QueryChecks {
    private static final Duration MIN_HEARTBEAT = Duration.ofMillis(100);
    private static final Duration MAX_HEARTBEAT = Duration.ofMinutes(5);
    private static final Duration MAX_AHEAD = Duration.ofMinutes(10);

    private final ChangeStream stream;
    private final CommitClock clock;
    private final ChangeStreamQuery query;

    QueryChecks(ChangeStream stream, CommitClock clock, ChangeStreamQuery query) {
        this.stream = stream;
        this.clock = clock;
        this.query = query;
    }

    Instant start() {
        Instant start = query.start();
        if (start == null) {
            throw StreamErrors.nullStart();
        }
        Instant now = clock.time();
        Instant earliest = stream.earliest(now);
        if (start.isBefore(earliest)) {
            throw hasExpired(now) ? StreamErrors.expiredPartition() : StreamErrors.startTooOld(earliest, start);
        }
        Instant latest = now.plus(MAX_AHEAD);
        if (start.isAfter(latest)) {
            throw StreamErrors.startInFuture(earliest, latest, start);
        }
        if (start.isAfter(query.until())) {
            throw StreamErrors.startAfterEnd(start, query.until());
        }
        return start;
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
            throw StreamErrors.nullHeartbeat();
        }
        if (millis < MIN_HEARTBEAT.toMillis() || millis > MAX_HEARTBEAT.toMillis()) {
            throw StreamErrors.heartbeatOutOfRange(MIN_HEARTBEAT.toMillis(), MAX_HEARTBEAT.toMillis(), millis);
        }
        return Duration.ofMillis(millis);
    }

    void readOptions() {
        if (query.hasReadOptions()) {
            throw StreamErrors.readOptions();
        }
    }

    /** The partition that is asked for. */
    Optional<Partition> partition() {
        return query.partition()
                .map(token -> stream.partitions().find(token).orElseThrow(() -> StreamErrors.foreignToken(token)));
    }

    static void life(Partition partition, Instant start) {
        Instant end = partition.end().orElse(Instant.MAX);
        if (start.isBefore(partition.start()) || start.isAfter(end)) {
            throw StreamErrors.startOutsidePartition(partition.start(), end, start);
        }
    }
}
