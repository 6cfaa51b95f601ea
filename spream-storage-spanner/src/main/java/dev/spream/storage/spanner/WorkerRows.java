package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads, creates, renews and removes the registrations of workers. */
final class WorkerRows {
    static final List<String> COLUMNS = List.of(
            MetadataDdl.WORKER_ID,
            MetadataDdl.CAPACITY,
            MetadataDdl.WHOLE_TRANSACTIONS,
            MetadataDdl.REGISTERED_AT,
            MetadataDdl.ALIVE_UNTIL,
            MetadataDdl.LOW_WATERMARK,
            MetadataDdl.AS_OF);

    private WorkerRows() {}

    static WorkerRegistration registration(Struct row, Instant readAt) {
        Instant aliveUntil = Timestamps.toInstant(row.getTimestamp(MetadataDdl.ALIVE_UNTIL));
        return new WorkerRegistration(
                new WorkerId(row.getString(MetadataDdl.WORKER_ID)),
                Math.toIntExact(row.getLong(MetadataDdl.CAPACITY)),
                !row.isNull(MetadataDdl.WHOLE_TRANSACTIONS) && row.getBoolean(MetadataDdl.WHOLE_TRANSACTIONS),
                Timestamps.toInstant(row.getTimestamp(MetadataDdl.REGISTERED_AT)),
                aliveUntil,
                progress(row),
                aliveUntil.isAfter(readAt));
    }

    static Optional<WorkerProgress> progress(Struct row) {
        return PartitionRows.findInstant(row, MetadataDdl.AS_OF)
                .map(asOf -> new WorkerProgress(PartitionRows.findInstant(row, MetadataDdl.LOW_WATERMARK), asOf));
    }

    static WriteOperation<Boolean> register(
            WorkerId worker,
            int capacity,
            boolean wholeTransactions,
            Optional<WorkerProgress> progress,
            Duration aliveTime) {
        return WriteOperation.on("registering worker " + worker, Set.of(), transaction -> {
            Struct known = transaction
                    .context()
                    .readRow(
                            transaction.tables().workers(), Key.of(worker.value()), List.of(MetadataDdl.REGISTERED_AT));
            Timestamp registeredAt = known == null ? Value.COMMIT_TIMESTAMP : known.getTimestamp(0);
            transaction.write(
                    Mutation.newInsertOrUpdateBuilder(transaction.tables().workers())
                            .set(MetadataDdl.WORKER_ID)
                            .to(worker.value())
                            .set(MetadataDdl.CAPACITY)
                            .to(capacity)
                            .set(MetadataDdl.WHOLE_TRANSACTIONS)
                            .to(wholeTransactions)
                            .set(MetadataDdl.REGISTERED_AT)
                            .to(registeredAt)
                            .set(MetadataDdl.ALIVE_UNTIL)
                            .to(PartitionRows.value(transaction.in(aliveTime)))
                            .set(MetadataDdl.LOW_WATERMARK)
                            .to(progress.flatMap(WorkerProgress::lowWatermark)
                                    .map(Timestamps::toTimestamp)
                                    .orElse(null))
                            .set(MetadataDdl.AS_OF)
                            .to(progress.map(WorkerProgress::asOf)
                                    .map(Timestamps::toTimestamp)
                                    .orElse(null))
                            .build());
            return true;
        });
    }

    static WriteOperation<Boolean> unregister(WorkerId worker) {
        return WriteOperation.on("unregistering worker " + worker, Set.of(), transaction -> {
            transaction.write(delete(transaction, worker));
            return true;
        });
    }

    static WriteOperation<Integer> expire() {
        return WriteOperation.alone("expiring workers", transaction -> {
            List<WorkerId> expired =
                    MetadataReads.all(transaction
                                    .context()
                                    .read(transaction.tables().workers(), KeySet.all(), COLUMNS))
                            .stream()
                            .map(row -> registration(row, transaction.now()))
                            .filter(worker -> !worker.alive())
                            .map(WorkerRegistration::worker)
                            .toList();
            expired.forEach(worker -> transaction.write(delete(transaction, worker)));
            return expired.size();
        });
    }

    private static Mutation delete(WriteTransaction transaction, WorkerId worker) {
        return Mutation.delete(transaction.tables().workers(), Key.of(worker.value()));
    }
}
