package dev.spream.emulator.internal.stream;

import static java.time.temporal.ChronoUnit.MICROS;

import com.google.protobuf.Value;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One running query of a stream. Confined to its thread, which waits in its partition until there is something to send.
 *
 * <p>What may be claimed rests on one order of steps: take a time from {@link CommitClock#now}, <em>then</em> read. If the
 * read finds nothing up to that time, nothing can come up to it any more, because later commits and later ends have later
 * timestamps. A heartbeat at that time, and an end of the query there, are true.
 */
final class QueryRun {
    private static final int MAX_ROWS = 1000;
    private static final int MAX_BYTES = 1 << 20;
    private static final Duration MIN_HEARTBEAT = Duration.ofMillis(100);
    private static final Duration MAX_HEARTBEAT = Duration.ofMinutes(5);
    private static final Duration MAX_AHEAD = Duration.ofMinutes(10);
    // How long a query may sleep without looking whether its client is gone.
    private static final Duration LOOK_UP = Duration.ofSeconds(5);

    private final ChangeStream stream;
    private final CommitClock clock;
    private final ChangeStreamQuery query;
    private final RowSink sink;
    private final BooleanSupplier cancelled;

    QueryRun(ChangeStream stream, CommitClock clock, ChangeStreamQuery query, RowSink sink, BooleanSupplier cancelled) {
        this.stream = stream;
        this.clock = clock;
        this.query = query;
        this.sink = sink;
        this.cancelled = cancelled;
    }

    /** Runs to the query's end; returns when it ended well. */
    void run() throws InterruptedException {
        Instant start = checkedStart();
        Duration heartbeat = checkedHeartbeat();
        if (query.hasReadOptions()) {
            throw StreamErrors.readOptions();
        }
        Optional<ResumePoint> resume = ResumePoint.of(query.resumeToken());
        if (query.partition().isEmpty()) {
            initial(start, resume);
            return;
        }
        String token = query.partition().get();
        Partition partition = stream.partitions().find(token).orElseThrow(() -> StreamErrors.foreignToken(token));
        checkLife(partition, start);
        awaitTime(start);
        checkLife(partition, start);
        read(partition, resume.orElseGet(() -> new ResumePoint(partition.seek(start), 0)), heartbeat);
    }

    private Instant checkedStart() {
        Instant start = query.start();
        if (start == null) {
            throw StreamErrors.nullStart();
        }
        Instant now = clock.time();
        Instant earliest = stream.earliest(now);
        boolean expired = query.partition()
                .flatMap(stream.partitions()::find)
                .flatMap(Partition::end)
                .filter(end -> end.isBefore(stream.horizon(now)))
                .isPresent();
        if (start.isBefore(earliest)) {
            throw expired ? StreamErrors.expiredPartition() : StreamErrors.startTooOld(earliest, start);
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

    private Duration checkedHeartbeat() {
        Long millis = query.heartbeatMillis();
        if (millis == null) {
            throw StreamErrors.nullHeartbeat();
        }
        if (millis < MIN_HEARTBEAT.toMillis() || millis > MAX_HEARTBEAT.toMillis()) {
            throw StreamErrors.heartbeatOutOfRange(MIN_HEARTBEAT.toMillis(), MAX_HEARTBEAT.toMillis(), millis);
        }
        return Duration.ofMillis(millis);
    }

    private static void checkLife(Partition partition, Instant start) {
        Instant end = partition.end().orElse(Instant.MAX);
        if (start.isBefore(partition.start()) || start.isAfter(end)) {
            throw StreamErrors.startOutsidePartition(partition.start(), end, start);
        }
    }

    private void awaitTime(Instant instant) throws InterruptedException {
        while (clock.time().isBefore(instant)) {
            checkRunning();
            stream.gate().await(nanosUntil(instant));
        }
        // Nothing that is decided from here on concerns that instant.
        Instant settled = clock.now();
        if (settled.isBefore(instant.truncatedTo(MICROS))) {
            throw new IllegalStateException("the clock shows " + settled + " after it was past " + instant);
        }
    }

    private void initial(Instant start, Optional<ResumePoint> resume) throws InterruptedException {
        awaitTime(start);
        List<ChildRecord> records =
                resume.isPresent() ? List.of() : stream.partitions().aliveAt(start);
        List<Value> rows = records.stream().map(stream.encoder()::children).toList();
        sink.send(rows, new ResumePoint(0, rows.size()).token());
    }

    private void read(Partition partition, ResumePoint from, Duration heartbeat) throws InterruptedException {
        ResumePoint at = from;
        long lastSent = System.nanoTime();
        sink.send(List.of(), at.token());
        while (true) {
            checkRunning();
            long idle = System.nanoTime() - lastSent;
            boolean heartbeatDue = idle >= heartbeat.toNanos();
            boolean endDue = !clock.time().isBefore(query.until());
            Optional<Instant> settled = heartbeatDue || endDue ? Optional.of(clock.now()) : Optional.empty();

            Partition.Slice slice = partition.read(at.index(), query.until(), MAX_ROWS);
            if (slice.lost()) {
                Instant now = clock.time();
                throw StreamErrors.startTooOld(stream.earliest(now), stream.created());
            }
            if (!slice.entries().isEmpty()) {
                at = sendData(slice.entries(), at);
                lastSent = System.nanoTime();
                continue;
            }
            if (slice.complete()) {
                sendChildren(slice.ending().map(Partition.Ending::children).orElse(List.of()), at);
                return;
            }
            if (settled.isPresent() && !settled.get().isBefore(query.until())) {
                return;
            }
            if (heartbeatDue && settled.isPresent()) {
                sink.send(List.of(stream.encoder().heartbeat(settled.get())), at.token());
                lastSent = System.nanoTime();
                continue;
            }
            partition.await(at.index(), Math.min(heartbeat.toNanos() - idle, nanosUntil(query.until())));
        }
    }

    private ResumePoint sendData(List<StreamEntry> entries, ResumePoint from) {
        List<Value> rows = new ArrayList<>();
        int bytes = 0;
        long index = from.index();
        for (StreamEntry entry : entries) {
            Value row = entry.encoded();
            if (!rows.isEmpty() && bytes + row.getSerializedSize() > MAX_BYTES) {
                sink.send(rows, new ResumePoint(index, 0).token());
                rows = new ArrayList<>();
                bytes = 0;
            }
            rows.add(row);
            bytes += row.getSerializedSize();
            index++;
        }
        ResumePoint at = new ResumePoint(index, 0);
        sink.send(rows, at.token());
        return at;
    }

    private void sendChildren(List<ChildRecord> records, ResumePoint from) {
        for (int i = from.children(); i < records.size(); i++) {
            Value row = stream.encoder().children(records.get(i));
            sink.send(List.of(row), new ResumePoint(from.index(), i + 1).token());
        }
    }

    private void checkRunning() {
        if (cancelled.getAsBoolean()) {
            throw StreamErrors.cancelled();
        }
        Optional<StatusRuntimeException> stopped = stream.stopped();
        if (stopped.isPresent()) {
            throw stopped.get();
        }
    }

    private long nanosUntil(Instant instant) {
        Instant soon = clock.time().plus(LOOK_UP);
        Instant wake = instant.isBefore(soon) ? instant.plus(1, MICROS) : soon;
        return Math.max(
                TimeUnit.MICROSECONDS.toNanos(1),
                Duration.between(clock.time(), wake).toNanos());
    }
}
