package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import dev.spream.emulator.control.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A read of a partition by a query: it sends the stored entries, and waits in the partition for new ones. Confined to
 * the query's thread.
 *
 * <p>Its guarantees rest on one order of steps: take a time from {@link StreamClock#now}, <em>then</em> read. If the
 * read returns nothing up to that time, no entry up to it can be added later, because later commits and later ends have
 * later timestamps. A heartbeat at that time, or the query's end, is therefore correct.
 *
 * <p>Each wake-up of a query is counted, and the count is read before looking for entries: an event between the read
 * and the wait ends the wait at once.
 */
final class PartitionRead {
    private static final int MAX_ROWS = 1000;
    private static final int MAX_BYTES = 1 << 20;

    private final QueryRun query;
    private final Partition partition;
    private final ResumePoint first;
    private final Duration heartbeat;
    private final QueryFaults faults;
    private final ClockMode pace;

    private ResumePoint at;
    private boolean closing;
    private @Nullable StreamEntry lastMoveIn;
    private long lastSent;
    private long heartbeatsRequested;

    PartitionRead(QueryRun query, Partition partition, ResumePoint from, Duration heartbeat, QueryFaults faults) {
        this.query = query;
        this.partition = partition;
        this.first = from;
        this.heartbeat = heartbeat;
        this.faults = faults;
        this.pace = query.clock().pace();
        this.at = from;
        this.lastSent = pace.nanos();
        this.heartbeatsRequested = query.stream().heartbeatRequests();
    }

    /** Reads to the end of the partition, or of the query. */
    void run() throws InterruptedException {
        if (partition.isClosedBefore(first.index())) {
            faults.resumedBehindClosingRecord();
        }
        if (faults.room(1) > 0) {
            query.sink().send(List.of(), at.token());
        }
        boolean goesOn = true;
        while (goesOn) {
            query.checkRunning();
            goesOn = step();
        }
    }

    /** Sends the stored entries, or waits for new ones; returns false at the end. */
    private boolean step() throws InterruptedException {
        long seenWakes = partition.gate().wakes();
        Optional<Fault.Kind> fault = closing ? Optional.empty() : faults.trigger(false);
        if (fault.isPresent()) {
            return suffer(fault.get());
        }
        long idle = pace.nanos() - lastSent;
        long requested = query.stream().heartbeatRequests();
        boolean heartbeatDue = idle >= heartbeat.toNanos() || requested != heartbeatsRequested;
        boolean endDue = !query.clock().time().isBefore(query.until());
        Optional<Instant> settled = heartbeatDue
                ? Optional.of(query.clock().now())
                : endDue ? Optional.of(query.clock().settled(query.until())) : Optional.empty();

        int room = closing ? MAX_ROWS : faults.room(MAX_ROWS);
        Partition.Slice slice = partition.read(at.index(), query.until(), room);
        if (slice.lost()) {
            throw StreamErrors.startTooOld(
                    query.stream().earliest(query.clock().time()),
                    query.stream().created());
        }
        if (!slice.entries().isEmpty()) {
            return sendEntries(slice);
        }
        if (room == 0) {
            return true;
        }
        boolean queryEnds =
                settled.filter(time -> !time.isBefore(query.until())).isPresent();
        if (slice.complete() || queryEnds) {
            return end();
        }
        if (heartbeatDue && settled.isPresent()) {
            heartbeatsRequested = requested;
            send(List.of(query.stream().encoder().heartbeat(settled.get())), 0);
            return true;
        }
        long rest = Math.min(heartbeat.toNanos() - idle, query.nanosUntil(query.until()));
        partition.gate().await(seenWakes, query.realNanos(rest));
        return true;
    }

    private boolean suffer(Fault.Kind fault) throws InterruptedException {
        QueryRun.Outcome outcome = query.suffer(fault, faults);
        if (outcome == QueryRun.Outcome.REPEATS) {
            at = first;
        }
        if (outcome == QueryRun.Outcome.REPEATS_EVENT && lastMoveIn != null) {
            send(List.of(lastMoveIn.encoded()), 0);
        }
        return outcome != QueryRun.Outcome.ENDS;
    }

    private boolean sendEntries(Partition.Slice slice) throws InterruptedException {
        StreamEntry first = slice.entries().getFirst();
        if (first.isData()) {
            sendData(slice.entries());
            return true;
        }
        Optional<Fault.Kind> fault = slice.closing() && !closing ? faults.trigger(true) : Optional.empty();
        if (fault.isPresent()) {
            return suffer(fault.get());
        }
        closing = slice.closing();
        at = at.after(1);
        if (first.isMoveIn()) {
            lastMoveIn = first;
            faults.sentMoveIn();
        }
        send(List.of(first.encoded()), 0);
        if (faults.triggersAfterPartitionRecord()) {
            throw StreamErrors.fault(Fault.Kind.UNAVAILABLE);
        }
        return true;
    }

    private void sendData(List<StreamEntry> entries) {
        List<Value> rows = new ArrayList<>();
        int bytes = 0;
        for (StreamEntry entry : entries) {
            Value row = entry.encoded();
            if (!rows.isEmpty() && bytes + row.getSerializedSize() > MAX_BYTES) {
                sendChanges(rows);
                rows = new ArrayList<>();
                bytes = 0;
            }
            rows.add(row);
            bytes += row.getSerializedSize();
        }
        sendChanges(rows);
    }

    private void sendChanges(List<Value> rows) {
        at = at.after(rows.size());
        send(rows, rows.size());
    }

    private void send(List<Value> rows, int changes) {
        // Both before sending: the receiver of the row may at once move the clock and expect the next heartbeat, or
        // inject a fault that counts rows from there.
        lastSent = pace.nanos();
        faults.sent(rows.size(), changes);
        query.sink().send(rows, at.token());
    }

    /** Returns true if the query continues, because of a fault. */
    private boolean end() throws InterruptedException {
        Optional<Fault.Kind> fault = closing ? Optional.empty() : faults.trigger(true);
        return fault.isPresent() && suffer(fault.get());
    }
}
