package dev.spream.emulator.internal.stream;

import static java.time.temporal.ChronoUnit.MICROS;

import com.google.protobuf.ByteString;
import com.google.protobuf.Value;
import dev.spream.emulator.control.Fault;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** One running query of a stream. Confined to its thread. */
record QueryRun(
        ChangeStream stream, StreamClock clock, ChangeStreamQuery query, RowSink sink, BooleanSupplier cancelled) {
    // The longest sleep of a query before it checks, in real time, whether its client has disconnected.
    private static final Duration LOOK_UP = Duration.ofSeconds(30);

    /** The outcome of a fault that did not break its query. */
    enum Outcome {
        GOES_ON,
        REPEATS,
        REPEATS_EVENT,
        ENDS
    }

    /** Runs to the query's end; returns when it ended without an error. */
    void run() throws InterruptedException {
        QueryChecks checks = new QueryChecks(stream, clock, query);
        Instant start = checks.start();
        Duration heartbeat = checks.heartbeat();
        checks.readOptions();
        Optional<ResumePoint> resume = ResumePoint.of(query.resumeToken());
        Optional<Partition> asked = checks.partition();
        asked.ifPresent(partition -> QueryChecks.life(partition, start));
        awaitTime(start);
        asked.ifPresent(partition -> QueryChecks.life(partition, start));
        try (QueryFaults faults = stream.faults().begin(query, endIsProof())) {
            if (asked.isEmpty()) {
                initial(start, resume, faults);
                return;
            }
            Partition partition = asked.get();
            ResumePoint from = resume.orElseGet(() -> new ResumePoint(partition.seek(start)));
            new PartitionRead(this, partition, from, heartbeat, faults).run();
        }
    }

    /** Returns whether a reader may take two clean ends of this query for the proof that it has read everything. */
    private boolean endIsProof() {
        return stream.partitions().isMutable() ? !clock.time().isBefore(until()) : query.end() != null;
    }

    private void awaitTime(Instant instant) throws InterruptedException {
        long seen = stream.gate().wakes();
        while (clock.time().isBefore(instant)) {
            checkRunning();
            stream.gate().await(seen, realNanos(nanosUntil(instant)));
            seen = stream.gate().wakes();
        }
        // No later event concerns that instant.
        Instant settled = clock.settled(instant.truncatedTo(MICROS));
        if (settled.isBefore(instant.truncatedTo(MICROS))) {
            throw new IllegalStateException("the clock shows " + settled + " after it was past " + instant);
        }
    }

    private void initial(Instant start, Optional<ResumePoint> resume, QueryFaults faults) throws InterruptedException {
        Optional<Fault.Kind> fault = faults.trigger(true);
        if (fault.isPresent() && suffer(fault.get(), faults) == Outcome.ENDS) {
            return;
        }
        List<StreamRecord.Start> records =
                resume.isPresent() ? List.of() : stream.partitions().aliveAt(start);
        List<Value> rows = records.stream().map(stream.encoder()::encode).toList();
        if (!rows.isEmpty() && faults.triggersAfterPartitionRecord()) {
            // The next attempt may divide the partitions among other records, so a query cannot resume after this one.
            sink.send(rows.subList(0, 1), ByteString.EMPTY);
            throw StreamErrors.fault(Fault.Kind.UNAVAILABLE);
        }
        sink.send(rows, new ResumePoint(rows.size()).token());
    }

    Outcome suffer(Fault.Kind kind, QueryFaults faults) throws InterruptedException {
        return switch (kind) {
            case CLEAN_END -> Outcome.ENDS;
            case DUPLICATES -> Outcome.REPEATS;
            case OLD_EVENT -> Outcome.REPEATS_EVENT;
            case STALL -> {
                stall(faults);
                yield Outcome.GOES_ON;
            }
            case RETENTION_LOST -> throw StreamErrors.startTooOld(clock.time(), start());
            case PARTITION_EXPIRED -> throw StreamErrors.expiredPartition();
            case OUTSIDE_PARTITION -> throw outsidePartition();
            default -> throw StreamErrors.fault(kind);
        };
    }

    private void stall(QueryFaults faults) throws InterruptedException {
        long seen = stream.gate().wakes();
        while (faults.isStalled()) {
            checkRunning();
            stream.gate().await(seen, LOOK_UP.toNanos());
            seen = stream.gate().wakes();
        }
    }

    private StatusRuntimeException outsidePartition() {
        Optional<Partition> partition = query.partition().flatMap(stream.partitions()::find);
        return StreamErrors.startOutsidePartition(
                partition.map(Partition::start).orElse(stream.created()),
                partition.flatMap(Partition::end).orElse(Instant.MAX),
                start());
    }

    private Instant start() {
        Instant start = query.start();
        return start == null ? Instant.MIN : start;
    }

    void checkRunning() {
        if (cancelled.getAsBoolean()) {
            throw StreamErrors.cancelled();
        }
        Optional<StatusRuntimeException> stopped = stream.stopped();
        if (stopped.isPresent()) {
            throw stopped.get();
        }
    }

    /** Returns the last requested commit timestamp. */
    Instant until() {
        return query.until();
    }

    /** Returns the time of the database that is left until then. */
    long nanosUntil(Instant instant) {
        Instant now = clock.time();
        Instant soon = now.plus(LOOK_UP);
        Instant wake = instant.isBefore(soon) ? instant.plus(1, MICROS) : soon;
        return Math.max(
                TimeUnit.MICROSECONDS.toNanos(1), Duration.between(now, wake).toNanos());
    }

    /** Returns how long to wait for the given time of the database to pass, unless woken. */
    long realNanos(long nanos) {
        return Math.min(clock.pace().realNanos(nanos), LOOK_UP.toNanos());
    }
}
