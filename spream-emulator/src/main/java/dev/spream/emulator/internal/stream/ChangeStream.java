package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.DrivenClock;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.RowChange;
import io.grpc.StatusRuntimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A stream of a database: its declaration, which DDL may change, its partitions, and its state (running or stopped).
 */
final class ChangeStream {
    private final Instant created;
    private final StreamPartitions partitions;
    private final RecordEncoder encoder;
    private final StreamFaults faults;
    private final TimedWait gate = new TimedWait();
    private final DrivenClock.Listening moves;

    private final AtomicLong heartbeatRequests = new AtomicLong();

    private volatile StreamDefinition definition;
    // Confined to commits and DDL, which the clock runs one at a time.
    private TransactionRecorder recorder;
    private volatile @Nullable StatusRuntimeException stopped;

    /** Creates a running stream; {@link #stop} ends it. */
    ChangeStream(
            StreamDefinition definition,
            Instant created,
            StreamPartitions partitions,
            RecordEncoder encoder,
            FaultDraw draw,
            ClockMode pace) {
        this.definition = definition;
        this.recorder = new TransactionRecorder(definition);
        this.created = created;
        this.partitions = partitions;
        this.encoder = encoder;
        this.faults = new StreamFaults(draw, this::wake);
        this.moves = pace.onMove(this::wake);
    }

    /** Wakes all waiters of this stream to check their conditions again. */
    private void wake() {
        gate.wake();
        partitions.wake();
    }

    StreamDefinition definition() {
        return definition;
    }

    /** Replaces the definition, from the next commit on; called within a cut. */
    void redefine(StreamDefinition other) {
        definition = other;
        recorder = new TransactionRecorder(other);
    }

    /** Changes the value capture type, unless it is this one; called within the commit. */
    void capture(String valueCaptureType) {
        if (!definition.options().valueCapture().name().equals(valueCaptureType)) {
            redefine(definition.with(definition.options().capturing(valueCaptureType)));
        }
    }

    /** Stores a transaction's records; called within the commit. */
    void commit(Commit commit, String transactionId) {
        List<RowChange> changes = recorder.recorded(commit);
        if (changes.isEmpty()) {
            return;
        }
        partitions.commit(commit.timestamp(), journal -> {
            TransactionRecorder.Transaction<Partition> transaction = recorder.new Transaction<>(journal::nextSequence);
            int before = partitions.changesBeforeWaiting(changes.size());
            transaction.add(changes.subList(0, before), this::partitionOf);
            partitions.runWaiting(journal);
            transaction.add(changes.subList(before, changes.size()), this::partitionOf);
            transaction.records(commit, transactionId).forEach((partition, records) -> {
                partition.dropBefore(horizon(commit.timestamp()));
                records.forEach(record -> journal.add(partition, record));
            });
        });
    }

    private Partition partitionOf(RowChange change) {
        return partitions.of(KeyHash.of(change));
    }

    Instant created() {
        return created;
    }

    /** Returns the time before which records are discarded. */
    Instant horizon(Instant now) {
        return now.minus(definition.options().retention());
    }

    /** Returns the earliest start that a query may have. */
    Instant earliest(Instant now) {
        Instant horizon = horizon(now);
        return horizon.isAfter(created) ? horizon : created;
    }

    StreamPartitions partitions() {
        return partitions;
    }

    RecordEncoder encoder() {
        return encoder;
    }

    /** Has each running query send its next heartbeat at once. */
    void requestHeartbeats() {
        heartbeatRequests.incrementAndGet();
        wake();
    }

    /** Returns the number of requests for heartbeats so far. */
    long heartbeatRequests() {
        return heartbeatRequests.get();
    }

    StreamFaults faults() {
        return faults;
    }

    /** Returns the gate of threads that wait for the stream and not for one partition. */
    TimedWait gate() {
        return gate;
    }

    /** Ends the running queries, and rejects later ones, with the given error. */
    void stop(StatusRuntimeException reason) {
        stopped = reason;
        moves.close();
        gate.open();
        partitions.release();
    }

    Optional<StatusRuntimeException> stopped() {
        return Optional.ofNullable(stopped);
    }
}
